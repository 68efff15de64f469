/**
 * Where the program of the threads is. Neighbours: `thread.ts` starts it. In the package it has a file of its own. From
 * sources (tests, scripts) it is the built one where that is not older than any source, because it loads in a
 * third of the time; else the sources themselves.
 */
import { readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

export function startWorker(options: WorkerOptions): Worker {
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('../records/worker.js', import.meta.url), options)
  built ??= findBuilt()
  if (built.url !== undefined) return new Worker(built.url, options)
  // Node 20 reads no TypeScript by itself.
  const file = JSON.stringify(new URL('./worker.ts', import.meta.url).href)
  const found = createRequire(import.meta.url).resolve('tsx/esm/api')
  const loader = JSON.stringify(pathToFileURL(found.replace(/\.cjs$/, '.mjs')).href)
  const code = `import(${loader}).then(({ register }) => { register(); return import(${file}) })`
  return new Worker(code, { ...options, eval: true })
}

let built: { readonly url: URL | undefined } | undefined

function findBuilt(): { readonly url: URL | undefined } {
  const url = new URL('../../dist/records/worker.js', import.meta.url)
  const source = fileURLToPath(new URL('../', import.meta.url))
  try {
    const builtAt = statSync(url).mtimeMs
    const isOlder = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .some((name) => statSync(`${source}/${name}`).mtimeMs > builtAt)
    return { url: isOlder ? undefined : url }
  } catch {
    return { url: undefined }
  }
}
