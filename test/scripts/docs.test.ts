import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { brotliDecompressSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { prepareDocs } from '../../scripts/docs/prepare.ts'
import { pruned } from '../../scripts/docs/prune.ts'
import { readOriginals } from '../../src/engine/docs/assets.ts'
import { preparedFiles, readPrepared } from '../../src/engine/docs/prepared.ts'
import { readTheme } from '../../src/engine/docs/theme.ts'

/** A bundle as webpack writes it: modules by number, and the main module, whose last value it makes known. */
function bundleOf(main: string, modules: Record<number, string>): string {
  // Webpack's own have hundreds of modules, by which the object is known among others.
  const many = Array.from({ length: 60 }, (_, i) => `${1000 + i}(s){s.exports="filler ${1000 + i}"}`)
  const own = Object.entries(modules).map(([id, body]) => `${id}(s,o,i){${body}}`)
  return `!function(s,o){s.Bundle=o()}(this,(()=>(()=>{var s={${[...many, ...own]}},o={};function __webpack_require__(i){var a=o[i]={exports:{}};return s[i](a,a.exports,__webpack_require__),a.exports}__webpack_require__.r=s=>s,__webpack_require__.d=(s,o)=>{for(var i in o)Object.defineProperty(s,i,{enumerable:!0,get:o[i]})};var i={};return(()=>{"use strict";${main}})(),i=i.default})()));`
}

const run = (text: string) => runInNewContext(`${text};Bundle`) as () => unknown

describe('a bundle without what stands for something else', () => {
  const none = { unwanted: '()=>"nothing"' }
  const begin = '__webpack_require__.d(i,{default:()=>Root});'
  const pruneMain = (main: string, modules: Record<number, string> = {}) =>
    pruned(bundleOf(begin + main, modules), 'Root', none)

  test('has lost all that only this led to, in the main module and in others, and does the rest as before', () => {
    const text = pruneMain(
      `const kept=__webpack_require__(1),lost=__webpack_require__(2);function unwanted(){return helper()+lost}
       class Helper{run(){return "lost helper"}}const helper=()=>new Helper().run();helper.more="lost effect";const list=[];list.push("lost item",helper);
       const Root=()=>[unwanted(),kept]`,
      {
        1: 's.exports="kept"+i(3)',
        2: 's.exports="lost module"+i(4)',
        3: 's.exports=" too"',
        4: 's.exports=" too"',
      },
    )
    expect(text).not.toMatch(/lost|filler|Helper/)
    expect([...(run(text)() as string[])]).toEqual(['nothing', 'kept too'])
  })

  test.each([
    [
      'names of parameters and variables inside are not those outside',
      'const x="lost",f=x=>x,g=()=>{let x=1;return x},h=(function(){for(let x of[1])if(x)return x}),v=function(){var x=0;return x};const Root=()=>f(1)+g()+h()+v()',
      3,
    ],
    [
      'a variable of a block does not hide the one outside',
      'const x=1;const Root=()=>{{let x=2;if(x>2)return 0}return x}',
      1,
    ],
    [
      'nor does one of a loop, of a choice or of what was thrown',
      'const x=1;const Root=()=>{for(let x=0;x<1;x++);switch(2){case 2:let x=5}try{throw 4}catch(x){}return x}',
      1,
    ],
    [
      'a pattern binds what it names, and takes its defaults from outside',
      'const d=7,Root=()=>{const{a:{b=d}={}}={},[c]=[1];return b+c}',
      8,
    ],
    [
      'names of properties are no names of declarations',
      'const lost="lost";const Root=()=>({lost:2}).lost',
      2,
    ],
    ['short forms of properties are', 'const a=3;const Root=()=>({a}).a', 3],
    [
      'effects on what stays, stay',
      'const table=[];for(let n=0;n<3;n++)table.push(n);class C{}C.size=4;const Root=()=>table.length+C.size',
      7,
    ],
    ['effects on nothing, stay', 'globalThis.seen=5,globalThis.other=1;const Root=()=>globalThis.seen', 5],
    [
      'exports of a module that is named by one variable',
      'var all={};__webpack_require__.r(all),__webpack_require__.d(all,{one:()=>one,two:()=>two});const one=1,two=2;const Root=()=>all.one+all.two',
      3,
    ],
  ])('%s', (_, main, result) => {
    const text = pruneMain(`function unwanted(){};${main}`)
    expect(run(text)()).toBe(result)
    expect(text).not.toContain('"lost"')
  })

  test('is refused where it has no such declaration, or is no bundle', () => {
    expect(() => pruneMain('const Root=1')).toThrow('The bundle has 0 declarations of unwanted.')
    expect(() => pruned('const a = 1', 'a', {})).toThrow('no modules')
    expect(() => pruned('const = 1', 'a', {})).toThrow("can't be read")
  })
})

describe('the files of the docs page', () => {
  beforeAll(() => prepareDocs()) // as an installation does

  test('are smaller when they were prepared, the same in br, and those of another text are not found', async () => {
    const originals = await readOriginals(Object.values(await readTheme()))
    for (const [name, most] of [
      ['swagger-ui-bundle.js', 260_000],
      ['theme/page.js', 24_000],
    ] as const) {
      const original = originals.get(name) ?? Buffer.of()
      const prepared = await readPrepared(original)
      expect(prepared?.bytes.length, name).toBeLessThan(original.length * 0.7)
      expect(prepared?.br.length, name).toBeLessThan(most)
      expect(prepared && brotliDecompressSync(prepared.br).equals(prepared.bytes), name).toBe(true)
      expect(await readPrepared(Buffer.concat([original, Buffer.from(' ')]))).toBeUndefined()
    }
  })

  test('are made once', async () => {
    const made = () => stat(join(preparedFiles, 'recipe')).then(({ mtimeMs }) => mtimeMs)
    const first = await made()
    await prepareDocs()
    expect(await made()).toBe(first)
  })
})
