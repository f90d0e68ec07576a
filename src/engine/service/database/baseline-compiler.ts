import { setFlagsFromString } from 'node:v8'

/** V8's flags, in an order in which each is safe without those that follow. */
const flags = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']

/**
 * Leaves all WebAssembly that this process compiles from now on to V8's baseline compiler (v8.dev/blog/liftoff). Its optimizing
 * compiler takes 600 MB for the largest function of PGlite alone, and a second of CPU, soon after each start. A V8 without
 * these flags says so on stderr, and optimizes.
 */
export function keepBaselineCode(): void {
  for (const flag of flags) setFlagsFromString(flag)
}
