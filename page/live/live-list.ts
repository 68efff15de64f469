/**
 * The one list of this page, and what a person likes of it. Neighbours: `live-model.ts` is what it does; here it is given
 * the API, the feed and the browser's frames. It goes on while another view is shown, so that coming back finds it whole.
 */
import { api, leaveIfRefused } from '../core/api.ts'
import { liveVerdicts, onFeed, openExchanges } from '../core/feed.ts'
import { createKept } from '../core/preferences.ts'
import { createLiveModel } from './live-model.ts'

/** So often the list is drawn anew at most: more would be work that nobody can read. */
const DRAW_MS = 80

let lastDraw = 0

/** A hidden tab has no frames. */
function soon(callback: () => void): void {
  const draw = (): void => {
    lastDraw = performance.now()
    callback()
  }
  const wait = lastDraw + DRAW_MS - performance.now()
  if (document.hidden) setTimeout(draw, 250)
  else if (wait > 0) setTimeout(() => requestAnimationFrame(draw), wait)
  else requestAnimationFrame(draw)
}

export const liveList = createLiveModel({
  async ask(query) {
    try {
      return await api.exchanges(query)
    } catch (error) {
      leaveIfRefused(error)
      throw error
    }
  },
  soon,
  later: (callback, ms) => void setTimeout(callback, ms),
  open: () =>
    [...openExchanges.get().values()].map((exchange) => ({
      exchange,
      verdicts: liveVerdicts.get().get(exchange.id) ?? [],
    })),
})
onFeed(liveList.hear)

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** Ids of columns that somebody has turned on or off. */
export const columnChoice = createKept<readonly string[]>('live-columns', [], isNames)

const isWidth = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value)

/** How wide the exchange beside the list is, in pixels. */
export const panelWidth = createKept('live-panel', 620, isWidth)
