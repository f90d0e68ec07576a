/**
 * The public interface for programs that call a service: `spec-served/client`.
 */
export { type Client, connect, need, type Retry } from './client/client.ts'
