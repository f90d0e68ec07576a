import cluster from 'node:cluster'

export { servePrimary } from './primary.ts'
export { joinPrimary } from './worker.ts'
export const { isPrimary } = cluster
