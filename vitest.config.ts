import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/judges/**', 'test/fuzz/**'],
    // Generous for two slow cores: a limit here tells a hang from work, it does not time anything.
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 60_000,
    hookTimeout: 180_000,
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
