/**
 * The sources → few files of plain JavaScript in `dist/`: Node takes about a millisecond for each module that it loads, and
 * there are hundreds, so that a command starts in half the time. A module is in one file only, whichever door leads to it:
 * a program that imports `sluice/policy` beside `sluice/server` gets the same classes. Types are written by tsc.
 *
 * Shared files lie one folder deep, as all sources do: `new URL('../…', import.meta.url)` means the same in both.
 */
import { copyFile } from 'node:fs/promises'
import { rolldown } from 'rolldown'

/** The doors of the package, the command, and the thread that writes records. */
const ENTRIES = ['index', 'policy', 'server', 'cli/main', 'records/worker']

/**
 * Packages stay packages, so that they can be updated. But kysely is three hundred modules, of which we use a sixth: loaded as
 * they are they take 13 MB of the thread that records and 70 ms of its start, and as a part of ours three. Its licence goes along.
 */
const BUNDLED = 'kysely'

const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((name) => [name, `src/${name}.ts`])),
  platform: 'node',
  external: (id) => /^[^./]/.test(id) && id !== BUNDLED,
  tsconfig: 'tsconfig.build.json',
  onLog(level, log, handler) {
    if (level === 'warn') throw new Error(log.message)
    handler(level, log)
  },
})
await bundle.write({
  dir: 'dist',
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // The engine keeps the text of all that it has loaded, in two bytes a letter where one letter needs two: without comments
  // and with plain letters alone that is 1.6 MB in place of 3.6, and as readable in a stack trace.
  comments: false,
  minify: {
    compress: false,
    mangle: false,
    codegen: { removeWhitespace: false, asciiOnly: true },
  },
})
await bundle.close()
await copyFile(`node_modules/${BUNDLED}/LICENSE`, `dist/LICENSE-${BUNDLED}`)
