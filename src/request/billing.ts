/**
 * The first line of Claude Code's prompt: whom to bill, with a nonce that changes on every request. It says
 * nothing to a model, and would cost other vendors' caches everything behind it. Neighbours: the reader of its own
 * wire and the writers of the others take it out.
 */
import type { TextPart } from './part.ts'

/** Where clients join the blocks of a prompt, the line stands before the rest of it. */
const LINE = /^x-anthropic-billing-header:[^\n]*\n*/

/** The same parts without it. */
export const withoutBilling = (parts: readonly TextPart[]): readonly TextPart[] =>
  parts.flatMap((part) => {
    if (!LINE.test(part.text)) return [part]
    const text = part.text.replace(LINE, '')
    return text === '' ? [] : [{ ...part, text }]
  })
