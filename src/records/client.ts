/**
 * The store for the gateway's own thread: calls by name to the threads that have it open. Neighbours: `queue.ts` has the
 * one that writes, `open.ts` puts both together. Reads have a thread of their own, started with the first and ended
 * after a minute without one.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { RecordSettings } from '../store/settings.ts'
import type { RecordStore } from '../store/store.ts'
import { createCalls, type Calls } from './calls.ts'
import type { ThreadData } from './message.ts'
import { createThread, type Thread } from './thread.ts'

export interface ClientOptions {
  readonly settings: RecordSettings
  readonly gateway: string
  /** Calls to the thread that writes. */
  readonly writes: Calls
  /** What is on its way is written first; nothing, where there is none. Who asks is to see what it has just done. */
  hurry(): Promise<void> | undefined
  /** How long the thread that reads is kept without being asked. */
  readonly keepMs?: number
}

const KEEP_MS = 60_000

export function createClient(options: ClientOptions): RecordStore {
  const { settings, gateway, writes, keepMs = KEEP_MS } = options
  const data: ThreadData = { role: 'reader', settings, gateway }
  let reader: { readonly thread: Thread; readonly calls: Calls } | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  /** Reads that wait, those for the thread to start included. */
  let reading = 0

  function startReader(): NonNullable<typeof reader> {
    const calls = createCalls(
      (message) => thread.post(message),
      (isHeld) => thread.hold(isHeld),
    )
    const thread = createThread({
      data,
      onMessage: calls.hear,
      onUp: () => {},
      onDown: () => calls.fail('the thread that reads them was started anew: ask again'),
    })
    return { thread, calls }
  }

  /** As long as it is asked, it stays. */
  function keep(): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (reading > 0) return keep()
      void endReader()
    }, keepMs)
    timer.unref()
  }

  async function endReader(): Promise<void> {
    clearTimeout(timer)
    const ended = reader
    reader = undefined
    ended?.calls.fail('they are closed')
    await ended?.thread.close(CLOSE_MS)
  }

  async function read<T>(name: keyof RecordStore, ...values: readonly unknown[]): Promise<T> {
    if (isClosed) throw closed()
    reader ??= startReader()
    const { thread, calls } = reader
    keep()
    reading++
    try {
      await options.hurry()
      await thread.opened.catch((error: unknown) => {
        if (reader?.thread === thread) reader = undefined
        throw error
      })
      return await calls.call<T>(name, values)
    } finally {
      reading--
    }
  }

  async function write<T>(name: keyof RecordStore, ...values: readonly unknown[]): Promise<T> {
    if (isClosed) throw closed()
    return writes.call<T>(name, values)
  }

  return {
    list: (query) => read('list', query),
    count: (query, max) => read('count', query, max),
    find: (id) => read('find', id),
    body: (id, kind) => read('body', id, kind),
    bodies: (ids, kinds) => read('bodies', ids, kinds),
    verdicts: (query) => read('verdicts', query),
    conversations: (query) => read('conversations', query),
    stats: (query) => read('stats', query),
    policies: (query) => read('policies', query),
    verify: () => read('verify'),
    // Small, and asked for when a gateway starts: not worth a thread.
    policyModes: () => write('policyModes'),
    policyVersions: () => write('policyVersions'),
    policyEditMark: () => write('policyEditMark'),
    policyEdits: (policy) => write('policyEdits', policy),
    versionVerdicts: (policy) => read('versionVerdicts', policy),
    gatewayKeys: () => write('gatewayKeys'),
    size: () => read('size'),
    note: (name) => write('note', name),
    textDue: (which) => read('textDue', which),
    write: (items) => write('write', items),
    async remove(which) {
      // What comes behind would be there again.
      await options.hurry()
      return write('remove', which)
    },
    enforce: (limits) => write('enforce', limits),
    setTexts: (texts) => write('setTexts', texts),
    setNote: (name, text) => write('setNote', name, text),
    setPolicyMode: (mode) => write('setPolicyMode', mode),
    addPolicyEdit: (edit, after) => write('addPolicyEdit', edit, after),
    notePolicyVersions: (versions) => write('notePolicyVersions', versions),
    addGatewayKey: (key) => write('addGatewayKey', key),
    revokeGatewayKey: (which) => write('revokeGatewayKey', which),
    forgetGatewayKeys: () => write('forgetGatewayKeys'),
    async close() {
      isClosed = true
      await endReader()
    },
  }
}

const CLOSE_MS = 1000

const closed = (): SluiceError =>
  new SluiceError('wrong-use', 'Cannot use the records: they are closed')
