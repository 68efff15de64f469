/**
 * Lint, and the walls between the rooms of `src/`. The table is the rule: each row becomes
 * `no-restricted-imports` overrides. `test/rooms.test.ts` plants wrong imports and sees them refused.
 */

/** Which room may lean on which. A room without a row may lean on none. */
export const LEANS_ON = {
  base: [],
  sse: ['base'],
  event: ['base', 'sse'],
  request: ['base', 'event'], // the canonical request; each wire reads and writes it
  wire: ['base', 'sse', 'event', 'request'], // and never another wire
  block: ['base', 'event'], // knows no wire: three formats, one processor
  translate: ['base', 'event', 'request', 'wire'], // two wires at once
  tokens: ['base', 'event', 'request'],
  session: ['base', 'event', 'request', 'wire'],
  policy: ['base', 'event', 'block', 'request'], // the contract and the engine: knows no wire
  facts: ['base', 'event', 'request'], // what a call would do: commands, files
  stock: ['base', 'event', 'block', 'request', 'policy', 'facts'], // the policies that come along
  store: ['base', 'event', 'policy'], // what is kept of an exchange, and what keeps it
  upstream: ['base', 'sse', 'event', 'request', 'wire', 'block'], // wire and block for the demo upstream only
  exchange: [
    'base',
    'sse',
    'event',
    'request',
    'wire',
    'block',
    'translate',
    'tokens',
    'session',
    'policy',
    'store',
    'upstream',
  ],
  // The past through the same decoder: blocks, search, replay, backtest.
  replay: [
    'base',
    'sse',
    'event',
    'request',
    'wire',
    'block',
    'policy',
    'facts',
    'stock',
    'store',
    'upstream',
    'exchange',
  ],
  // A store in a thread of its own, and what is on its way there.
  records: ['base', 'event', 'wire', 'policy', 'stock', 'store', 'replay'],
  api: ['base', 'sse', 'event', 'policy', 'approvals', 'store', 'replay'], // what the admin API says, and a client for it: types of rooms on Node only
  // Several gateways on one Postgres.
  shared: ['base', 'event', 'policy', 'approvals', 'session', 'store', 'exchange', 'config'],
  approvals: ['base', 'event', 'request', 'policy'],
  telemetry: ['base', 'event', 'exchange'],
  config: [
    'base',
    'event',
    'request',
    'wire',
    'upstream',
    'policy',
    'facts',
    'stock',
    'store',
    'exchange',
  ],
  server: [
    'base',
    'event',
    'wire',
    'tokens',
    'session',
    'policy',
    'approvals',
    'upstream',
    'store',
    'exchange',
    'replay',
    'records',
    'api',
    'shared',
    'telemetry',
    'config',
  ],
  testkit: ['base', 'sse', 'event', 'block', 'request', 'wire', 'policy', 'stock'], // for authors of policies
  cli: [
    'base',
    'sse',
    'event',
    'request',
    'wire',
    'block',
    'policy',
    'stock',
    'testkit',
    'approvals',
    'store',
    'replay',
    'records',
    'api',
    'config',
    'server',
  ],
}

/** Rooms that may import `node:` modules and packages. The others run in any JavaScript runtime. */
export const ON_NODE = [
  'facts',
  'stock',
  'testkit',
  'approvals',
  'store',
  'upstream',
  'exchange',
  'replay',
  'records',
  'shared',
  'telemetry',
  'config',
  'server',
  'cli',
]

/** Rooms whose folders may not import each other, only the files that stand beside the folders. */
const WALLED = ['wire']

/** Files that know every folder of a walled room, so no folder may know them. */
const REGISTRIES = ['wires.ts']

/** How deep a room's folders go. A file deeper down may lean on nothing outside its folder. */
const DEPTHS = [1, 2, 3]

// oxlint skips a regex that has a look-ahead, so there is none.
const NOTHING_FROM_OUTSIDE = {
  regex: '^[^.]',
  message: 'This file runs in any JavaScript runtime: it imports no "node:" module and no package',
}

export default {
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise', 'vitest'],
  // Needs oxlint-tsgolint. Without it the rules marked "with types" would not run.
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  categories: { correctness: 'error' },
  rules: {
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'max-depth': ['warn', 3],
    'max-lines': ['warn', { max: 300, skipBlankLines: true, skipComments: true }],
    'max-params': ['warn', 4],
    'import/no-cycle': 'error',
    'import/no-duplicates': 'error',
    'import/no-self-import': 'error',
    // Also refuses `import('…').Type`, which the walls do not see.
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-import-type-side-effects': 'error',
    'typescript/no-non-null-assertion': 'error',
    // With types, as are await-thenable and no-floating-promises, which are of `correctness`.
    'typescript/no-deprecated': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/prefer-promise-reject-errors': 'error',
    'typescript/require-await': 'error',
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    'typescript/switch-exhaustiveness-check': 'error',
    // State lives in closures, so a method without its object is still whole.
    'typescript/unbound-method': 'off',
    // Properties and tables assert in loops and helpers, and name their tests by data.
    'vitest/expect-expect': 'off',
    'vitest/no-conditional-expect': 'off',
    'vitest/valid-title': 'off',
  },
  overrides: [
    {
      files: ['src/**/*.ts'],
      rules: {
        'import/no-default-export': 'error',
        'typescript/no-unsafe-argument': 'error',
        'typescript/no-unsafe-assignment': 'error',
        'typescript/no-unsafe-call': 'error',
        'typescript/no-unsafe-member-access': 'error',
        'typescript/no-unsafe-return': 'error',
      },
    },
    {
      files: ['src/**/*.ts'],
      excludeFiles: [...ON_NODE.map((room) => `src/${room}/**`), '**/*.test.ts'],
      rules: {
        'no-console': 'error',
        'no-restricted-globals': [
          'error',
          'Buffer',
          'clearImmediate',
          'global',
          'process',
          'setImmediate',
        ],
      },
    },
    {
      // The page is a program of its own: it may lean on every room that runs in a browser.
      files: ['page/**/*.ts', 'page/**/*.tsx'],
      rules: { 'import/no-default-export': 'error', 'no-console': 'error' },
    },
    {
      files: ['page/vite.config.ts'],
      rules: { 'import/no-default-export': 'off' },
    },
    {
      files: ['**/*.test.ts', 'test/**/*.ts'],
      rules: {
        'max-depth': 'off',
        'max-lines': 'off',
        'typescript/no-base-to-string': 'off',
        'typescript/no-misused-spread': 'off',
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-return': 'off',
        'typescript/require-await': 'off',
      },
    },
    wall(
      'src/**/*.ts',
      { group: ['..', '../**'], message: 'Give this room a row in LEANS_ON' },
      NOTHING_FROM_OUTSIDE,
    ),
    wall('src/index.ts', libraryOnly(), NOTHING_FROM_OUTSIDE),
    wall('src/server.ts', face('The gateway', ['config', 'exchange', 'server', 'telemetry'])),
    wall(
      'src/policy.ts',
      face('The author', [
        'base',
        'event',
        'block',
        'request',
        'policy',
        'facts',
        'stock',
        'testkit',
      ]),
    ),
    ...Object.keys(LEANS_ON).flatMap((room) => DEPTHS.flatMap((depth) => toWalls(room, depth))),
  ],
}

/** One row of the table, for the files that stand `depth` folders below `src/`, and their tests. */
function toWalls(room, depth) {
  const top = '../'.repeat(depth)
  const own = '../'.repeat(depth - 1)
  const isWalled = WALLED.includes(room)
  const siblings = [`${own}**`, `!${own}*.ts`, ...REGISTRIES.map((file) => own + file)]
  const group = [...(isWalled && depth > 1 ? siblings : []), ...forbidAllBut(top, LEANS_ON[room])]
  const row = LEANS_ON[room].join(', ') || 'no other room'
  const message = `${room}/ may lean on ${row}${isWalled ? ', its folders not on each other' : ''}`
  const files = `src/${room}/${'*/'.repeat(depth - 1)}*`
  const outside = ON_NODE.includes(room) ? [] : [NOTHING_FROM_OUTSIDE]
  return [
    wall(`${files}.ts`, { group, message }, ...outside),
    wall(`${files}.test.ts`, { group: [...group, `!${top}../test/support/**`], message }),
  ]
}

function forbidAllBut(up, rooms) {
  const allowed = rooms.flatMap((room) => [`!${up}${room}`, `!${up}${room}/**`])
  // These begin as an allowed path does, and lead elsewhere.
  const detours = ['./../**', ...rooms.map((room) => `${up}${room}/**/../**`)]
  return ['..', `${up}**`, ...allowed, ...detours]
}

/** The library's face: every room but those on Node. */
function libraryOnly() {
  return face(
    'The library',
    Object.keys(LEANS_ON).filter((room) => !ON_NODE.includes(room)),
  )
}

function face(whose, rooms) {
  const message = `${whose}'s face may lean on ${rooms.join(', ')}`
  return { group: [...forbidAllBut('./', rooms), '../**'], message }
}

function wall(files, ...patterns) {
  return { files: [files], rules: { 'no-restricted-imports': ['error', { patterns }] } }
}
