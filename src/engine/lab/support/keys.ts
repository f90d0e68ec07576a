import { keyForm } from 'spec-served/internal/callers/api-key'

/** How the pet store's keys look. */
export const {
  mint: mintKey,
  preview: previewKey,
  fits: isWellFormed,
  redact: redactKeys,
} = keyForm('petstore')
export { hashKey } from 'spec-served/internal/callers/key-cache'
