/** Builds the page into the package: `dist/page`, files with a hash in their name, nothing from elsewhere. */
import tailwind from '@tailwindcss/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [tailwind()],
  // Written against React, run by Preact's version of it, which weighs a fifth: the budget is 250 KB for everything. What it
  // does not know is not used: `use`, actions. `core/refs.ts` makes `ref` a prop.
  resolve: {
    alias: [
      { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
      { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
      { find: /^react(?:-dom)?$/, replacement: 'preact/compat' },
    ],
  },
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    target: 'es2022',
    // A data: URL would need a hole in the policy that forbids everything else.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Marks for servers that render React, which this page never sees.
    rolldownOptions: {
      onLog: (level, log, handler) =>
        log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handler(level, log),
    },
  },
})
