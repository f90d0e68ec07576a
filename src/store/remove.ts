/** Rows that one statement removes at most: no statement takes long, and the embedded database blocks for a moment only. */
export const removedAtOnce = 1_000

/** Removes rows, however many there are, statement by statement. */
export async function removeAll(step: () => Promise<{ numDeletedRows: bigint }>): Promise<void> {
  while ((await step()).numDeletedRows >= removedAtOnce);
}
