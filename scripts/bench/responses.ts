const endOfHead = Buffer.from('\r\n\r\n')
const endOfChunks = Buffer.from('0\r\n\r\n')

/** The length of a whole response at the beginning of what has come, or undefined while there is more to come. */
export function lengthOf(bytes: Buffer): number | undefined {
  const head = bytes.indexOf(endOfHead)
  if (head < 0) return undefined
  const fields = bytes.toString('latin1', 0, head)
  const length = /\r\ncontent-length: *(\d+)/i.exec(fields)?.[1]
  if (length !== undefined) {
    const total = head + 4 + Number(length)
    return total <= bytes.length ? total : undefined
  }
  if (/^HTTP\/1\.1 (204|304)/.test(fields)) return head + 4
  // In chunks: as only one response is awaited, it ends where all that has come does.
  return bytes.subarray(-5).equals(endOfChunks) ? bytes.length : undefined
}
