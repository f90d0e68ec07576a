/** The schema of the tables, unless DATABASE_URL names another one in its `options`. */
const place = { search_path: 'public' }

/**
 * What the service relies on in each session. A database or a role may have other defaults, for programs of other kinds. What an
 * operator may want to be otherwise for this service too is not among them, such as `default_transaction_read_only`.
 */
const forms = {
  client_encoding: 'UTF8',
  DateStyle: 'ISO',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  lock_timeout: '0',
}

/** A statement that gives a session these settings. */
export const setSession = Object.entries({ ...place, ...forms })
  .map(([name, value]) => `set ${name} to '${value}'`)
  .join(';')

const startOptions = (settings: object) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(' ', '\\ ')}`)
    .join(' ')

/**
 * Has the sessions of a PostgreSQL begin with these settings, at no exchange of their own. The `options` of its URL stay, but
 * for what they say of the same settings; of the schema they have the last word.
 */
export function startSettings(url: string): { connectionString: string; options: string } {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const given = parsed?.searchParams.get('options')
  const options = [startOptions(place), given, startOptions(forms)].filter(Boolean).join(' ')
  if (!parsed || !given) return { connectionString: url, options }
  parsed.searchParams.delete('options') // what stands in the URL goes before all else
  return { connectionString: parsed.href, options }
}
