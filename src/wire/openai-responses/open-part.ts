/**
 * One block of a response while it grows: an item, or a part of a message. Neighbours: `open-items.ts`
 * has them by item and number.
 */
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { createJsonScanner, type JsonScanner } from '../../base/json-scanner.ts'
import type { JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'

export interface Part {
  readonly block: BlockInfo
  /** What has come of it: to see whether arguments are whole, and what the end adds. */
  readonly text: Fragments
  add(piece: string): void
  /** Whether its arguments are closed. Each character is looked at once, however often one asks. */
  isWhole(): boolean
  hasText: boolean
  isOpen: boolean
  /** The whole part of a message, where only the whole item told it. */
  final: JsonObject | undefined
  /** How many summaries of a reasoning item have begun. */
  summaries: number
}

export function createPart(block: BlockInfo): Part {
  const text = createFragments()
  let scanner: JsonScanner | undefined
  let isOver = false
  return {
    block,
    text,
    add(piece) {
      text.add(piece)
      if (scanner !== undefined) isOver = scanner.feed(piece)
    },
    isWhole() {
      if (scanner === undefined) {
        scanner = createJsonScanner()
        isOver = scanner.feed(text.toString())
      }
      return isOver
    },
    hasText: false,
    isOpen: true,
    final: undefined,
    summaries: 0,
  }
}
