import { defineConfig } from 'vitest/config'

/** They wait for real sockets and processes, or time something: two of them at once would be late for each other. */
const TIMED = [
  'test/linear*.test.ts',
  'test/page/*-speed.test.ts',
  'test/{cli,gateway,policies,records}/**/*.test.ts',
]

const EVERYTHING = ['src/**/*.test.ts', 'page/**/*.test.ts', 'test/**/*.test.ts']
const NEVER = ['**/node_modules/**', 'test/judges/**', 'test/fuzz/**']

export default defineConfig({
  test: {
    // Generous for two slow cores: a limit here tells a hang from work, it does not time anything.
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 60_000,
    // Files of one worker share what they import: a third of the time was importing the same again. Tests keep nothing in modules.
    isolate: false,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        // Those that only work, and browsers: two at once are done in little more than half the time.
        test: {
          name: 'together',
          include: EVERYTHING,
          exclude: [...NEVER, ...TIMED],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: TIMED,
          exclude: NEVER,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // The commands are run by tests as processes of their own, where coverage does not look.
      exclude: ['src/**/*.test.ts', 'src/cli/**'],
      // Into files only, so that a run ends with its own summary.
      reporter: ['html', 'json-summary'],
      thresholds: { lines: 90 },
    },
  },
})
