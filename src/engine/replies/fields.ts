/** Header fields by their names in lower case. */
export interface Fields {
  [name: string]: string | undefined
}
