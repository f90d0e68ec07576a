/**
 * The form in which names are compared and sorted: without regard to case and to how a character is composed.
 * Computed here and not by the database, whose `lower()` depends on the locale it was created with.
 */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC')
}

/** A LIKE pattern for texts that begin with the one given. */
export function prefixPattern(text: string): string {
  return `${text.replace(/[\\%_]/g, '\\$&')}%`
}
