/**
 * The mark of words that are the gateway's own and not the model's. Neighbours: `policy/notice.ts` writes them; whoever
 * reads a history knows them by it, since no wire has a field that a client would hand back.
 */

/** A notice begins with this, so that people, models and searches know it. */
export const NOTICE = '[Sluice]'

export const isNoticeText = (text: string): boolean => text.startsWith(NOTICE)
