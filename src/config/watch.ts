/**
 * A config file → the same file again, each time it has changed. Neighbours: `load.ts` reads it, whoever
 * serves takes the new settings or keeps the old. Knows nothing of serving.
 *
 * Editors replace a file by renaming another over it, and mounted volumes swap a link above it, so the
 * folder is watched and not the file; and because no watch is heard everywhere (network drives,
 * containers, a folder that was made anew), the files are also looked at now and then. What policy files
 * import is watched as they are.
 */
import { createHash } from 'node:crypto'
import { statSync, watch, type FSWatcher } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readText } from './files.ts'
import { draftConfig, type Config } from './load.ts'
import type { Settings } from './settings.ts'
import type { Environment } from './variables.ts'

export interface WatchOptions {
  onChange(settings: Settings, warnings: readonly string[], config: Config): void
  /** The new config is not right or cannot be read; the next change is waited for. */
  onError(error: Error): void
  readonly env?: Environment
  readonly cwd?: string
  /** How long the files must keep still: nobody wants half of what an editor writes. */
  readonly settle?: number
  /** How often the files are looked at without a sign. */
  readonly poll?: number
}

export interface ConfigWatch {
  close(): void
}

/** Watches a config and the files that it names. Does not keep the process alive. */
export function watchConfig(file: string, options: WatchOptions): ConfigWatch {
  const { onChange, onError, env = process.env, cwd = process.cwd(), settle = 100 } = options
  const path = resolve(cwd, file)
  let files: readonly string[] = filesOf(path, { env, cwd })
  /** What the files looked like at the last look. Taken first, so that a later edit is seen. */
  let seen = stampOf(files)
  /** What they said when they were last read. */
  let loaded = contentsOf(files)
  let isMoving = false
  let isLoading = false
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let watchers = watchFolders()

  // Not put off by further signs: in a folder where something is always written it would never come.
  function lookSoon(): void {
    if (isClosed || timer !== undefined) return
    timer = setTimeout(look, settle).unref()
  }

  /** Loads once two looks in a row saw the same. */
  function look(): void {
    timer = undefined
    const now = stampOf(files)
    const isStill = now === seen
    seen = now
    if (!isStill) {
      isMoving = true
      lookSoon()
    } else if (isLoading) {
      // One after the other, or an older one could come last.
      lookSoon()
    } else if (isMoving) {
      isMoving = false
      isLoading = true
      void load().finally(() => {
        isLoading = false
      })
    }
  }

  async function load(): Promise<void> {
    const contents = contentsOf(files)
    if (files.every((one) => contents.get(one) === loaded.get(one))) return
    loaded = contents
    try {
      const draft = draftConfig({ file: path, env, cwd })
      // Before it is known to be right: the mistake may be in a file that it names only now.
      follow([...new Set([...draft.files, ...files])])
      const config = await draft.load()
      if (isClosed) return
      follow(config.files)
      onChange(config.settings, config.warnings, config)
    } catch (error) {
      if (!isClosed) onError(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** The config may name other files now. After a mistake those of before are still watched. */
  function follow(next: readonly string[]): void {
    if (isClosed || next.join('\0') === files.join('\0')) return
    files = next
    seen = stampOf(files)
    loaded = new Map(files.map((one) => [one, loaded.get(one) ?? contentOf(one)]))
    for (const watcher of watchers) watcher.close()
    watchers = watchFolders()
    // What was written since it was read has no sign of its own any more.
    isMoving = true
    lookSoon()
  }

  function watchFolders(): FSWatcher[] {
    return [...new Set(files.map((one) => dirname(one)))].flatMap((folder) => {
      try {
        const watcher = watch(folder, { persistent: false }, lookSoon)
        // A folder that is gone: the looks go on.
        watcher.on('error', () => watcher.close())
        return [watcher]
      } catch {
        return []
      }
    })
  }

  const poll = setInterval(() => {
    if (stampOf(files) !== seen) lookSoon()
  }, options.poll ?? 2000).unref()
  return {
    close() {
      isClosed = true
      clearInterval(poll)
      clearTimeout(timer)
      for (const watcher of watchers) watcher.close()
    },
  }
}

function filesOf(path: string, { env, cwd }: { env: Environment; cwd: string }): readonly string[] {
  try {
    return draftConfig({ file: path, env, cwd }).files
  } catch {
    return [path]
  }
}

/** When and where each file was written, in nanoseconds: two edits may come in one millisecond. */
function stampOf(files: readonly string[]): string {
  return files.map(stampOne).join('\n')
}

function stampOne(file: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch {
    return 'none'
  }
}

/** What the files say, as digests. One that was only touched has not changed. */
const contentsOf = (files: readonly string[]): ReadonlyMap<string, string> =>
  new Map(files.map((file) => [file, contentOf(file)]))

function contentOf(file: string): string {
  const read = readText(file)
  return read.type === 'text' ? createHash('sha256').update(read.text).digest('hex') : read.type
}
