/**
 * The public interface for tests of programs that call a service: `spec-served-cli/testing`.
 */
export { createMock, type Mock, type MockSettings } from './testing/mock.ts'
