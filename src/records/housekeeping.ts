/**
 * What the thread that writes does between writes: it takes the text of exchanges for the search, and takes old
 * records away. Neighbours: `run-writer.ts` has one, `content.ts` reads the text. In small steps, so that a batch never
 * waits long; while there is much to write, it takes a small part of the time only.
 */
import { BODY_KINDS, type BodyKind } from '../store/record.ts'
import type { RecordSettings } from '../store/settings.ts'
import type { KeptBodies, RecordStore, TextDue } from '../store/store.ts'
import type { ContentReader } from './process-item.ts'

export interface HousekeepingOptions {
  readonly settings: RecordSettings
  readonly gateway: string
  readonly content: Promise<Pick<ContentReader, 'text'>>
  store(): RecordStore
}

export interface Housekeeping {
  start(): void
  /** So many exchanges are new. */
  noteWritten(count: number): void
  close(): Promise<void>
}

/** Exchanges whose text is taken at once: with 32 of them in a transaction it takes half of what it takes with four. */
const STEP = 32
/** What a group of them may take in the store: some ten times as much in memory. */
const GROUP_BYTES = 256 * 1024
/** Nothing was written for so long: now there is time. */
const IDLE_MS = 1000
const LOOK_MS = 250
/**
 * While there is none, it rests so many times as long as it worked: a hundredth of a core, which is enough for some forty
 * exchanges in a second. Where more come, their words wait for a pause.
 */
const REST_WHEN_BUSY = 100
const ENFORCE_EVERY_MS = 3 * 60_000
const FIRST_ENFORCE_MS = 5000
const REST_MS = 50
const MAX_CLOSING_MS = 500
/** What others have not done in this time they may never do: they were killed. */
const OTHERS_AFTER_MS = 5 * 60_000

export function createHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { settings, gateway, content, store } = options
  const hasText =
    settings.hasSearch && settings.secret === undefined && settings.mode !== 'metadata'
  let lastWrite = -Infinity
  let restUntil = -Infinity
  let isDue = hasText
  let textTimer: NodeJS.Timeout | undefined
  let enforceTimer: NodeJS.Timeout | undefined
  let isClosed = false
  /** What goes on: closing waits for it. */
  let taking: Promise<void> = Promise.resolve()
  let enforcing: Promise<void> = Promise.resolve()

  function planText(ms: number): void {
    if (isClosed || textTimer !== undefined || !hasText) return
    textTimer = setTimeout(() => {
      textTimer = undefined
      // Whether it is still busy is looked at again and again: a store that was slow for once is no reason to rest for a minute.
      if (performance.now() < restUntil && !isIdle()) return planText(LOOK_MS)
      taking = step().catch(() => planText(ENFORCE_EVERY_MS))
    }, ms)
  }

  const isIdle = (): boolean => performance.now() - lastWrite > IDLE_MS

  async function step(): Promise<void> {
    const began = performance.now()
    isDue = false
    const found = await takeTexts({ gateway, limit: STEP })
    if (!found && !isDue) return
    const now = performance.now()
    restUntil = now + (now - began) * REST_WHEN_BUSY
    planText(isIdle() ? 0 : LOOK_MS)
  }

  async function takeTexts(which: Parameters<RecordStore['textDue']>[0]): Promise<boolean> {
    const due = await store().textDue(which)
    if (due.length === 0) return false
    const texts: { readonly id: string; readonly text: string }[] = []
    for (const group of inGroups(due)) texts.push(...(await textsOf(group)))
    await store().setTexts(texts)
    return true
  }

  async function textsOf(
    group: readonly TextDue[],
  ): Promise<readonly { readonly id: string; readonly text: string }[]> {
    try {
      const { text } = await content
      const ids = group.map(({ id }) => id)
      const kept = await store().bodies(ids, ['request', 'upstream', 'delivered'])
      const byId = new Map(kept.map(({ id, bodies }) => [id, bodies]))
      return group.map((due) => ({ id: due.id, text: text(due, bytesOf(byId.get(due.id))) }))
    } catch {
      const [only, ...others] = group
      // Unreadable: it cannot be found by its words, and is not tried again and again.
      if (only !== undefined && others.length === 0) return [{ id: only.id, text: '' }]
      const each = []
      for (const due of group) each.push(...(await textsOf([due])))
      return each
    }
  }

  function planEnforce(ms: number): void {
    if (isClosed) return
    enforceTimer = setTimeout(() => {
      enforcing = enforce()
        // A store in trouble is told of by those who write.
        .catch(() => {})
        .then(() => planEnforce(ENFORCE_EVERY_MS))
    }, ms)
  }

  async function enforce(): Promise<void> {
    const { maxAge, maxBytes } = settings
    await store().enforce({
      ...(maxAge === undefined ? {} : { maxAgeMs: maxAge }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
    })
    if (!hasText) return
    const before = Date.now() - OTHERS_AFTER_MS
    while (!isClosed && (await takeTexts({ before, limit: STEP }))) await rest(REST_MS)
  }

  return {
    start() {
      planText(IDLE_MS)
      planEnforce(FIRST_ENFORCE_MS)
    },
    noteWritten(count) {
      lastWrite = performance.now()
      if (count === 0) return
      isDue = true
      planText(IDLE_MS)
    },
    async close() {
      isClosed = true
      clearTimeout(textTimer)
      clearTimeout(enforceTimer)
      // Retention of much may take long; what it has done is committed.
      await Promise.race([Promise.all([taking, enforcing]), rest(MAX_CLOSING_MS)])
    },
  }
}

/** Read at once: a query for each would cost as much as to read it. Large ones are read alone. */
function inGroups(due: readonly TextDue[]): readonly (readonly TextDue[])[] {
  const groups: TextDue[][] = []
  let room = 0
  for (const one of due) {
    room -= one.storedBytes
    if (room < 0 || groups.length === 0) {
      groups.push([])
      room = GROUP_BYTES - one.storedBytes
    }
    groups.at(-1)?.push(one)
  }
  return groups
}

function bytesOf(kept: KeptBodies['bodies'] = {}): Partial<Record<BodyKind, Uint8Array>> {
  const bodies: Partial<Record<BodyKind, Uint8Array>> = {}
  for (const kind of BODY_KINDS) {
    const body = kept[kind]
    if (body !== undefined) bodies[kind] = body.bytes
  }
  return bodies
}

/** Lets a batch in that has come. Does not hold the thread when all else is over. */
const rest = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
