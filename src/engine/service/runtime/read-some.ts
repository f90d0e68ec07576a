/** Reads a body up to a bound of bytes, or until a signal. It says whether there was more. */
export async function readSome({ body }: Response, most: number, signal: AbortSignal) {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body?.pipeThrough(new TransformStream<Uint8Array>(), { signal }) ?? []) {
      chunks.push(chunk)
      size += chunk.length
      if (size > most) break
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), isCut: size > most || signal.aborted }
}
