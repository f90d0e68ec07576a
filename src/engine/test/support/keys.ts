import { keyForm } from '../../service/callers/api-key.ts'

/** How the pet store's keys look. */
export const {
  mint: mintKey,
  preview: previewKey,
  fits: isWellFormed,
  redact: redactKeys,
} = keyForm('petstore')
export { hashKey } from '../../service/callers/key-cache.ts'
