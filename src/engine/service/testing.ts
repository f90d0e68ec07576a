/**
 * The public interface for tests of a service: `spec-served/testing`.
 */
export type { Call, TestReply, TestRequest } from './testing/call.ts'
export { startTest, type TestService } from './testing/start.ts'
