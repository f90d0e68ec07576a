import { readdir, readFile } from 'node:fs/promises'
import { packageName } from 'spec-served/internal/command/project'
import { reservedWords, templateText } from 'spec-served-document/reading/literals'
import { columnType, constraintFor, identity, literal, quoted, snakeCase } from './columns.ts'
import type { Field, Resource } from './resource.ts'

/**
 * The code that keeps a resource: its migration, its table, what reads and writes it, and its handlers.
 * @returns texts by file
 * @throws Error where the project has no place for one
 */
export async function codeOf(resource: Resource): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const edit = async (file: string, change: (text: string) => string) =>
    files.set(file, change(await readFile(file, 'utf8')))
  const table = snakeCase(resource.many)
  const taken = (await readdir('migrations')).map(name => Number(/^\d+/.exec(name)?.[0] ?? 0))
  const number = String(Math.max(0, ...taken) + 1).padStart(4, '0')
  const migration = `${number}-${table.replaceAll('_', '-')}`
  files.set(`migrations/${migration}.ts`, migrationOf(resource, table))
  await edit('migrations/index.ts', text => withMigration(text, migration, resource.many))
  await edit('src/store/tables.ts', text => withTable(text, resource, table))
  files.set(`src/store/${fileOf(resource)}`, storeOf(resource, table))
  files.set(`src/handlers/${fileOf(resource)}`, handlersOf(resource))
  const shown = `${table}: { schemas: ['${resource.name}']${resource.isVersioned ? ", hidden: { version: 'sent as the ETag' }" : ''} },`
  const place = (await readFile('src/store/shown.ts', 'utf8').catch(() => undefined)) === undefined
  if (place) await edit('src/server.ts', text => withShown(text, shown))
  else await edit('src/store/shown.ts', text => text.replace(/\n\}\n*$/, `\n  ${shown}\n}\n`))
  return files
}

const fileOf = ({ many }: Resource) => `${snakeCase(many).replaceAll('_', '-')}.ts`
const isOptional = ({ required, schema }: Field) => !required && schema.default === undefined

/** The type of a column in rows. */
function rowType({ schema }: Field): string {
  if (schema.format === 'date-time') return 'Date'
  return schema.type === 'integer' ? 'number' : String(schema.type)
}

function migrationOf(resource: Resource, table: string): string {
  const columns = resource.fields.map(field => {
    const { schema, column } = field
    const fallback = schema.default === undefined ? '' : ` default ${literal(schema.default)}`
    const isNull = isOptional(field) ? '' : ' not null'
    return `${quoted(column)} ${columnType(schema)}${isNull}${fallback} ${constraintFor(table, column, schema)}`.trimEnd()
  })
  const all = [`id ${identity} primary key`, ...columns]
  if (resource.isVersioned) all.push('version integer not null default 1')
  return `import { type Kysely, sql } from 'kysely'

/** The ${resource.many}. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql\`
    create table ${quoted(table)} (
      ${templateText(all.join(',\n      '))}
    )\`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql\`drop table ${quoted(table)}\`.execute(db)
}
`
}

/** The list of migrations with one more at its end. */
function withMigration(text: string, migration: string, name: string): string {
  const imported = `import * as ${name} from './${migration}.ts'\n`
  const end = [...text.matchAll(/^import .*\n/gm)].at(-1)
  const offset = end ? end.index + end[0].length : 0
  const entry = `  '${migration}': ${name},\n}`
  const listed = text
    .slice(offset)
    .replace(/\{\}\s*$|\n\}\s*$/, found => (found.startsWith('{') ? `{\n${entry}\n` : `\n${entry}\n`))
  return `${text.slice(0, offset)}${imported}${listed}`
}

function withTable(text: string, resource: Resource, table: string): string {
  const type = `${resource.many.charAt(0).toUpperCase()}${resource.many.slice(1)}Table`
  const columns = resource.fields.map(field => {
    const row = rowType(field)
    const kept = isOptional(field) ? `${row} | null` : row
    return `  ${field.column}: ${field.schema.default === undefined ? kept : `Generated<${kept}>`}`
  })
  const all = ['  id: GeneratedAlways<number>', ...columns]
  if (resource.isVersioned) all.push('  /** grows with each change */', '  version: Generated<number>')
  const used = all.some(line => line.includes('Generated<'))
    ? ['Generated', 'GeneratedAlways']
    : ['GeneratedAlways']
  const imported = text.replace(/import type \{ (.*) \} from 'kysely'/, (_, list: string) => {
    const names = new Set([...list.split(', '), ...used])
    return `import type { ${[...names].sort().join(', ')} } from 'kysely'`
  })
  const listed = imported.replace(
    /(interface Tables extends ServiceTables \{)([^}]*)\}/,
    (_, head: string, list: string) => {
      return `${head}${list.trim() === '' ? '\n' : list}  ${table}: ${type}\n}`
    },
  )
  // Before the interface, and the comment that it may have.
  const place = listed.search(/^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export interface Tables\b/m)
  if (place < 0)
    throw new Error('src/store/tables.ts has no interface Tables: write it, and run the command again')
  return `${listed.slice(0, place)}export interface ${type} {\n${all.join('\n')}\n}\n\n${listed.slice(place)}`
}

function withShown(text: string, shown: string): string {
  return /shownTables: \{/.test(text)
    ? text.replace(/shownTables: \{\n?/, found => `${found.trimEnd()}\n    ${shown}\n`)
    : text.replace(/^ {2}migrations,\n/m, found => `${found}  shownTables: {\n    ${shown}\n  },\n`)
}

/** The column's value of a property in a body. @param absent stands for one that is left out or removed */
function toColumn(field: Field, value: string, absent: 'undefined' | 'null'): string {
  const isDate = rowType(field) === 'Date'
  if (!isOptional(field)) return isDate ? `new Date(${value})` : value
  if (isDate) return `${value} === ${absent} ? null : new Date(${value})`
  return absent === 'null' ? value : `${value} ?? null`
}

function storeOf({ name, singular, many, fields, isVersioned, isPaged }: Resource, table: string): string {
  const row = `${name}Row`
  const type = `${many.charAt(0).toUpperCase()}${many.slice(1)}Table`
  const versions = isVersioned ? '\n  versions: Versions,' : ''
  const accepted = isVersioned ? "\n    .where(isAccepted('version', versions))" : ''
  const values = fields.map(field => {
    return `      ${field.column}: ${toColumn(field, `${singular}.${field.property}`, 'undefined')},`
  })
  const changed = fields.map(field => {
    const { property, column } = field
    const parameterName = reservedWords.has(property) ? 'value' : property
    const value = toColumn(field, parameterName, 'null')
    return `  ${property}: ${parameterName} => ({ ${column === value ? column : `${column}: ${value}`} }),`
  })
  const set = isVersioned
    ? "eb => ({ ...changedColumns(changed, changes), version: eb('version', '+', 1) })"
    : 'set'
  const unchanged = `  const set = changedColumns(changed, changes)
  // A statement changes a column at least.
  if (Object.keys(set).length === 0) return find${name}(db, id)
`
  const list = isPaged
    ? `/** Reads up to \`limit\` ${many} that follow the one given, by identifier. */
export function list${type.replace(/Table$/, '')}(db: Db, after: number, limit: number): Promise<${row}[]> {
  return db.selectFrom('${table}').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute()
}`
    : `/** Reads all ${many}, by identifier. */
export function list${type.replace(/Table$/, '')}(db: Db): Promise<${row}[]> {
  return db.selectFrom('${table}').selectAll().orderBy('id').execute()
}`
  const used = [
    'anyOf',
    'type ColumnsOf',
    'changedColumns',
    ...(isVersioned ? ['isAccepted', 'type Versions'] : []),
  ]
  return `import type { Selectable, Updateable } from 'kysely'
import { ${used.join(', ')} } from '${packageName}'
import type { New${name}, ${name}Patch } from '../generated/schema.ts'
import { type Db, finder, type ${type} } from './tables.ts'

export type ${row} = Selectable<${type}>

${list}

export const find${name} = finder((db, value) =>
  db.selectFrom('${table}').selectAll().where('id', '=', anyOf(value('ids'))),
)

export function insert${name}(db: Db, ${singular}: New${name}): Promise<${row}> {
  return db
    .insertInto('${table}')
    .values({
${values.join('\n')}
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** How each property that changes is stored. */
const changed: ColumnsOf<${name}Patch, Updateable<${type}>> = {
${changed.join('\n')}
}

/** Changes what is given of a record and returns it, or undefined when there is none${isVersioned ? ' of these versions' : ''}. */
export function update${name}(
  db: Db,
  id: number,
  changes: ${name}Patch,${versions}
): Promise<${row} | undefined> {
${isVersioned ? '' : unchanged}  return db
    .updateTable('${table}')
    .set(${set})
    .where('id', '=', id)${accepted}
    .returningAll()
    .executeTakeFirst()
}

/** Removes a record; undefined when there is none${isVersioned ? ' of these versions' : ''}. */
export function delete${name}(
  db: Db,
  id: number,${versions}
): Promise<{ id: number } | undefined> {
  return db
    .deleteFrom('${table}')
    .where('id', '=', id)${accepted}
    .returning('id')
    .executeTakeFirst()
}
`
}

function handlersOf(resource: Resource): string {
  const { name, singular, many, fields, isVersioned, isPaged } = resource
  const plural = `${many.charAt(0).toUpperCase()}${many.slice(1)}`
  const shown = (field: Field) =>
    rowType(field) === 'Date' ? `row.${field.column}.toISOString()` : `row.${field.column}`
  const always = fields.filter(field => !isOptional(field))
  const sometimes = fields.filter(isOptional)
  const literals = ['id: row.id', ...always.map(field => `${field.property}: ${shown(field)}`)].join(', ')
  const optional = sometimes.map(
    field => `  if (row.${field.column} !== null) ${singular}.${field.property} = ${shown(field)}\n`,
  )
  const etag = isVersioned ? 'headers: { ETag: etagOf(row.version) }, ' : ''
  const location = `/${fileOf(resource).replace(/\.ts$/, '')}/\${row.id}`
  const headers = [
    ...(resource.isLocated ? [`Location: \`${location}\``] : []),
    ...(isVersioned ? ['ETag: etagOf(row.version)'] : []),
  ]
  const created = headers.length > 0 ? `headers: { ${headers.join(', ')} }, ` : ''
  const used = [...(isVersioned ? ['etagOf'] : []), ...(resource.hasCodes ? ['refusal'] : [])]
  const door = used.length > 0 ? `import { ${used.join(', ')} } from '${packageName}'\n` : ''
  const none = resource.hasCodes
    ? `(id: number) => refusal('not_found', \`There is no ${singular} \${id}.\`)`
    : '() => ({ status: 404 }) as const'
  const no = resource.hasCodes ? `no${name}(path.${singular}Id)` : `no${name}()`
  const sent = isVersioned ? '{ path, body, ifMatch }' : '{ path, body }'
  const removed = isVersioned ? '{ path, ifMatch }' : '{ path }'
  const versions = isVersioned ? ', ifMatch' : ''
  const why = isVersioned ? `await missing(db, path.${singular}Id)` : no
  const list = isPaged
    ? `export const list${plural}: Handler<'list${plural}', 'page'> = async ({ query }, { db, page }) => {
  const [after = 0] = page.after(['number']) ?? []
  const found = await store.list${plural}(db, after, query.limit + 1)
  const { rows, headers } = page.cut(found, row => [row.id])
  return { status: 200, headers, body: rows.map(to${name}) }
}`
    : `export const list${plural}: Handler<'list${plural}'> = async (_, { db }) => ({
  status: 200,
  body: (await store.list${plural}(db)).map(to${name}),
})`
  return `${door}import type { ${name} } from '../generated/schema.ts'
import * as store from '../store/${fileOf(resource)}'
${isVersioned ? "import type { Db } from '../store/tables.ts'\n" : ''}import type { Handler } from './handler.ts'

function to${name}(row: store.${name}Row): ${name} {
  const ${singular}: ${name} = { ${literals} }
${optional.join('')}  return ${singular}
}

const no${name} = ${none}

${list}

export const create${name}: Handler<'create${name}'> = async ({ body }, { db }) => {
  const row = await store.insert${name}(db, body)
  return { status: 201, ${created}body: to${name}(row) }
}

export const get${name}: Handler<'get${name}'> = async ({ path }, { db }) => {
  const row = await store.find${name}(db, path.${singular}Id)
  return row ? { status: 200, ${etag}body: to${name}(row) } : ${no}
}

export const update${name}: Handler<'update${name}'> = async (${sent}, { db }) => {
  const row = await store.update${name}(db, path.${singular}Id, body${versions})
  return row ? { status: 200, ${etag}body: to${name}(row) } : ${why}
}

export const delete${name}: Handler<'delete${name}'> = async (${removed}, { db }) => {
  const row = await store.delete${name}(db, path.${singular}Id${versions})
  return row ? { status: 204 } : ${why}
}
${
  isVersioned
    ? `
/** Why nothing was changed: another version is there, or none at all. */
async function missing(db: Db, id: number) {
  return (await store.find${name}(db, id))
    ? refusal('precondition_failed', 'The record has changed: its ETag is not in If-Match any more.')
    : ${resource.hasCodes ? `no${name}(id)` : `no${name}()`}
}
`
    : ''
}`
}
