/** How each property of what is sent becomes columns: a property of the document that has no column does not compile. */
export type ColumnsOf<Sent, Row> = {
  readonly [Name in keyof Sent]-?: (value: Exclude<Sent[Name], undefined>) => Partial<Row>
}

/** The columns that a change sets: those of the properties that it has, where null removes. */
export function changedColumns<Sent extends object, Row>(
  columnsOf: ColumnsOf<Sent, Row>,
  changes: Sent,
): Partial<Row> {
  const columns: Partial<Row> = {}
  for (const name of Object.keys(columnsOf) as (keyof Sent)[]) {
    const value = changes[name]
    // Just found to be there; a generic type can't say so of one of its properties.
    if (value !== undefined)
      Object.assign(columns, columnsOf[name](value as Exclude<Sent[keyof Sent], undefined>))
  }
  return columns
}
