/**
 * The public interface for tests of a service: `spec-served/testing`.
 */
export type { Call, TestReply, TestRequest } from './tools/testing/call.ts'
export { createMock, type Mock, type MockSettings } from './tools/testing/mock.ts'
export { startTest, type TestService } from './tools/testing/start.ts'
