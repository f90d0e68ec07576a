import { refusal } from '../contract/handler.ts'

/** Stands in for an operation that the document announces and that does not work yet. */
export const notImplemented = async () => refusal(501, 'not_implemented', 'This operation does not work yet.')
