/**
 * What model and person are told instead of a block. The model reads it next turn as its own words, so it says plainly
 * what was not done, why, and what may be done. Neighbours: `gate.ts`. Never repeats what was denied.
 */
import { wholeBlock } from '../event/make.ts'
import type { BlockInfo } from '../event/block.ts'
import type { StreamEvent } from '../event/event.ts'
import { NOTICE } from '../event/notice.ts'

export { NOTICE }

const MAX_REASON_CHARS = 2000
const MAX_NAME_CHARS = 100

export interface NoticeWords {
  readonly block: BlockInfo
  readonly reason: string
  readonly instead?: string | undefined
}

export function toNotice({ block, reason, instead }: NoticeWords): string {
  const why = sentence(reason)
  const allowed = instead === undefined ? '' : ` Instead: ${sentence(instead)}`
  return block.type === 'tool-call'
    ? `${NOTICE} The call of the tool "${plain(block.name, MAX_NAME_CHARS)}" was not allowed and was not run. ${why}${allowed}`
    : `${NOTICE} A part of this answer was withheld. ${why}${allowed}`
}

export const toHaltNotice = (reason: string): string =>
  `${NOTICE} This answer was ended here. ${sentence(reason)}`

/** One line that ends with a stop. */
export function sentence(text: string): string {
  const line = plain(text, MAX_REASON_CHARS)
  return /[.!?)\]]$/.test(line) || line === '' ? line : `${line}.`
}

/** A policy may put words of the model into a reason: no line of it may look like something else. */
const plain = (text: string, max: number): string =>
  text
    // What stands behind is not shown: no need to look through it.
    .slice(0, max * 2)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, max)
    // Half a character is none.
    .replace(/[\uD800-\uDBFF]$/, '')

/** A text of ours as a whole block. */
export function noticeBlock(text: string, choice: number | undefined): readonly StreamEvent[] {
  const of = choice === undefined ? {} : { choice }
  const block: BlockInfo = { id: '', index: 0, type: 'text', isNotice: true, ...of }
  return wholeBlock(block, { type: 'text', text })
}
