import { stdSerializers } from 'pino'

/** Returns an error as log lines show it. pino writes to the error meanwhile, which throws for a frozen one. */
export function errorInLog(error: Error): object {
  try {
    return stdSerializers.err(error)
  } catch {
    return { type: 'Error', message: String(error.message), stack: String(error.stack) }
  }
}
