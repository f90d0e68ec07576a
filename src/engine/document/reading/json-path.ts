import {
  type FilterFunction,
  FunctionExpressionType,
  JSONPathEnvironment,
  type JSONPathNode,
  type JSONValue,
} from 'json-p3'
import { type Matcher, matcherOf } from '../pattern.ts'

/** The most properties of objects that a query looks at, and all queries of an environment together. */
const mostEntries = { each: 4_000_000, together: 20_000_000 }
/** The most nodes that one query selects, the same one several times included. */
const mostNodes = 1_000_000

/** Queries by JSONPath (RFC 9535) from an author who is not trusted: their time is bounded. */
export class BoundedPaths extends JSONPathEnvironment {
  #seen = 0
  #most = 0

  override entries(value: Record<string, JSONValue>): [string, JSONValue][] {
    const entries = super.entries(value)
    this.#seen += entries.length + 1
    if (this.#seen > this.#most) throw new Error('it looks at too many nodes')
    return entries
  }

  protected override setupFilterFunctions(): void {
    super.setupFilterFunctions()
    this.functionRegister.set(
      'match',
      matching(pattern => `^(?:${pattern})$`),
    )
    this.functionRegister.set(
      'search',
      matching(pattern => pattern),
    )
  }

  /** Returns the nodes that a path selects, each once. @throws Error for what is no path, or selects too much */
  nodes(path: string, value: unknown): JSONPathNode[] {
    this.#most = Math.min(this.#seen + mostEntries.each, mostEntries.together)
    const found = new Map<string, JSONPathNode>()
    let selected = 0
    // The documents that are read have the values of JSON alone.
    for (const node of this.lazyQuery(path, value as JSONValue)) {
      if (++selected > mostNodes) throw new Error(`it selects more than ${mostNodes} nodes`)
      found.set(JSON.stringify(node.location), node)
    }
    return [...found.values()]
  }
}

/**
 * Returns a function of RFC 9535 that holds a text against a pattern, in a time that grows no faster than the text. V8 would
 * backtrack without end. A pattern that can't be matched so matches nothing; I-Regexp (RFC 9485) has none of that.
 */
function matching(whole: (pattern: string) => string): FilterFunction {
  const matchers = new Map<string, Matcher | undefined>()
  return {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call(text: unknown, pattern: unknown): boolean {
      if (typeof text !== 'string' || typeof pattern !== 'string') return false
      if (!matchers.has(pattern)) matchers.set(pattern, compiled(whole(pattern)))
      return matchers.get(pattern)?.test(text) ?? false
    },
  }
}

function compiled(pattern: string): Matcher | undefined {
  // A dot of I-Regexp is all but two ends of lines, and ECMA-262's all but four.
  const [parts, dot] = [/\\.|\[(?:\\.|[^\]\\])*\]|\./gsu, '[^\\n\\r]']
  try {
    return matcherOf(pattern.replace(parts, part => (part === '.' ? dot : part)))
  } catch {
    return undefined
  }
}
