/** What is known of a statement by its text. */
export interface Facts {
  /** Whether it only reads, whatever session it runs in. It may run twice, and beside others. */
  isRead: boolean
  /** Whether it changes rows and does nothing else, whatever session it runs in. It runs once. */
  isWrite: boolean
  /** what it usually takes on the server, in ms, as far as it was seen */
  cost: number
  /** until when it is taken for slow, as `performance.now` counts */
  slowUntil: number
}

/** More texts than these are judged anew each time: something builds them without end. */
const textsLimit = 2_000
/** What a statement costs that was never seen, in ms. */
const firstCost = 0.1
/** No statement is taken to cost less, in ms. */
const leastCost = 0.02
/** What usually takes as long as this on the server is slow, in ms. */
const slowFrom = 10
/** How long a slow statement is taken for slow without another look, in ms. */
const slowFor = 10_000
/** The same for one that was only seen to hold others up, in ms. */
const suspectFor = 1_000

const begin = /^[\s(]*(select|with)\b/i
/** Strings with escapes, quotes by dollars, comments, several statements; sessions, catalogues and their functions. */
const unsure = /\be'|\bu&|\$[a-z_]*\$|--|\/\*|;|\bpg_/i
const quoted = /"(?:[^"]|"")*"|'(?:[^']|'')*'/g
/** Data that change, rows that are locked, tables that are made. */
const changing = /\b(insert|update|delete|merge|into|share)\b/i
const calls = /([\w"']+)\s*\(/g

/** Words before a parenthesis that change nothing and tell nothing of the session; a function not named here may. */
const harmless = new Set(
  `select from where and or not in any some all exists as on using over by values union except intersect when then else
  case between like ilike is array row lateral filter within group distinct limit offset with materialized having join
  cast extract count sum avg min max coalesce nullif greatest least array_agg string_agg json_agg jsonb_agg
  json_object_agg jsonb_object_agg json_build_object jsonb_build_object json_build_array jsonb_build_array to_json
  to_jsonb row_to_json lower upper length char_length octet_length trim btrim ltrim rtrim left right substring
  starts_with position replace concat concat_ws abs ceil floor round mod date_trunc to_char to_timestamp unnest
  generate_series row_number rank dense_rank lag lead first_value last_value bool_and bool_or numeric varchar char
  timestamp timestamptz`.split(/\s+/),
)

/** Whether a text is a read for sure. A name in quotes says nothing, but as the name of a function. */
export function isRead(text: string): boolean {
  if (!begin.test(text) || unsure.test(text)) return false
  const bare = text.replace(quoted, '""')
  if (changing.test(bare)) return false
  for (const [, word = ''] of bare.matchAll(calls)) if (!harmless.has(word.toLowerCase())) return false
  return true
}

/** What else stands before a parenthesis where rows are changed. */
const harmlessInWrites = new Set(['into', 'conflict', 'set', 'returning'])
const beginOfWrite = /^\s*(insert into|update|delete from|with)\b/i

/** Whether a text changes rows for sure, and does nothing else but read others. */
export function isWrite(text: string): boolean {
  if (!beginOfWrite.test(text) || unsure.test(text)) return false
  const bare = text.replace(quoted, '""')
  if (!/\b(insert|update|delete)\b/i.test(bare) || /\bmerge\b/i.test(bare)) return false
  // A table's name before its columns calls nothing.
  for (const [, word = ''] of bare.replace(/\binto ""\s*\(/gi, 'into (').matchAll(calls))
    if (!harmless.has(word.toLowerCase()) && !harmlessInWrites.has(word.toLowerCase())) return false
  return true
}

const known = new Map<string, Facts>()

export function factsOf(text: string): Facts {
  const facts = known.get(text) ?? {
    isRead: isRead(text),
    isWrite: isWrite(text),
    cost: firstCost,
    slowUntil: 0,
  }
  if (known.size < textsLimit) known.set(text, facts)
  return facts
}

/** Halfway to what was seen, on a scale of doublings: a pause of this process passes for one long run, not for many. */
export function learnCost(facts: Facts, milliseconds: number): void {
  const seen = Math.max(milliseconds, leastCost)
  setCost(facts, seen > facts.cost ? Math.min(facts.cost * 2, seen) : Math.max(facts.cost / 2, seen))
}

/** To be told of a statement that others wait for. It may not be its own fault: it is looked at again soon. */
export function learnSlow(facts: Facts): void {
  facts.cost = Math.max(facts.cost, slowFrom)
  facts.slowUntil = Math.max(facts.slowUntil, performance.now() + suspectFor)
}

/** Whether others should not wait behind a statement. */
export function isSlow(facts: Facts): boolean {
  if (facts.cost < slowFrom) return false
  if (performance.now() < facts.slowUntil) return true
  facts.cost = slowFrom / 2 // to be seen anew
  return false
}

function setCost(facts: Facts, cost: number): void {
  if (facts.cost < slowFrom && cost >= slowFrom) facts.slowUntil = performance.now() + slowFor
  facts.cost = cost
}
