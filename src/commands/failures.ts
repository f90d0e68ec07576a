import type { ErrorDetail } from '../engine/replies/api-error.ts'

/** A use that a command does not know; nothing was done. */
export class Misuse extends Error {}

/** What a command would not do, as the API would say it. */
export class Refused extends Error {
  readonly body: { code: string; message: string; status?: number; details?: ErrorDetail[] | undefined }

  constructor(body: Refused['body']) {
    super(body.message)
    this.body = body
  }
}
