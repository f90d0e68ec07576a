import cluster from 'node:cluster'

export { servePrimary } from './serve.ts'
export { joinPrimary } from './worker.ts'
export const { isPrimary } = cluster
