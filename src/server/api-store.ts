/**
 * The way of the API to the records: they may be off, and they may fail. Neighbours: `api-exchanges.ts` and
 * `api-history.ts` ask by it. What a store could not do becomes a sentence that says what to do.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { Records } from '../records/records.ts'
import { fail, type Reply } from './api-answer.ts'
import type { ApiOptions } from './api-handler.ts'

export type AskStore = (work: (records: Records) => Promise<Reply>) => Promise<Reply>

export const createAskStore =
  ({ records, log }: Pick<ApiOptions, 'records' | 'log'>): AskStore =>
  async (work) => {
    const found = records?.()
    if (found === undefined) return fail(503, RECORDS_OFF)
    try {
      return await work(found)
    } catch (error) {
      // A cursor of another list, or a search for nothing. Threads that are gone say the same code in other words.
      if (error instanceof SluiceError && error.code === 'wrong-use')
        return fail(error.message.startsWith('Cannot use the records') ? 503 : 400, error.message)
      log.warn('The records could not be read', {
        error: error instanceof Error ? error : new Error(String(error)),
      })
      const { why } = found.health()
      return fail(503, why ?? 'The records cannot be read now: see the log, and try again')
    }
  }

export const RECORDS_OFF =
  'Nothing is recorded here: say "record: bytes" in the config, or start with "sluice serve", and restart'
