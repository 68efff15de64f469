/**
 * Items that only pass or fall as a whole: on their own wire their frames are kept, with the place and the number that they
 * have now. Neighbours: `encode.ts` asks, `item-writer.ts` writes all others.
 */
import { parseObject, toObject, toText } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { Step } from '../../event/event.ts'
import type { ItemWriter } from './item-writer.ts'
import { KNOWN_EVENTS } from './rules.ts'

export const isPassedOn = (info: BlockInfo): boolean =>
  info.type === 'thinking' ||
  info.type === 'opaque' ||
  info.type === 'server-tool' ||
  info.type === 'tool-result'

interface Place {
  readonly index: number
  readonly id: string
}

export class PassedItems {
  private readonly items: ItemWriter
  private readonly emit: (type: string, payload: object) => void
  /** Where they stood, where they stand now, and their id. */
  private readonly places = new Map<unknown, Place>()
  private readonly rawSteps = new WeakSet<Step>()
  /** Where their blocks stood. */
  private readonly origins = new Map<BlockInfo, number>()

  constructor(items: ItemWriter, emit: (type: string, payload: object) => void) {
    this.items = items
    this.emit = emit
  }

  placeOf(block: BlockInfo): Place | undefined {
    return this.places.get(this.origins.get(block))
  }

  /** One left as it came. */
  keep(block: BlockInfo, { index, id }: Place): void {
    this.places.set(index, { index, id })
    this.origins.set(block, index)
    if (block.vendor !== undefined) this.items.output.set(index, { ...block.vendor, id })
  }

  /**
   * Writes the frame of that step again, if it is a frame of that block: what completes a block may have been read from
   * the first frame of another.
   */
  write(block: BlockInfo, step: Step): void {
    const json = this.rawSteps.has(step) ? undefined : parseObject(step.frame.data ?? '')
    if (json === undefined) return
    const { type, sequence_number: _number, output_index: from, item_id: itemId, ...rest } = json
    if (
      typeof type !== 'string' ||
      typeof from !== 'number' ||
      (this.origins.get(block) ?? from) !== from
    )
      return
    this.rawSteps.add(step)
    this.origins.set(block, from)
    const item = toObject(rest['item'])
    const { index, id } = this.placeAt(from, toText(item?.['id']))
    const named = item === undefined ? {} : { item: { ...item, id } }
    if (named.item !== undefined) this.items.output.set(index, named.item)
    if (!KNOWN_EVENTS.has(type)) return
    this.emit(type, {
      ...(itemId === undefined ? {} : { item_id: id }),
      output_index: index,
      ...rest,
      ...named,
    })
  }

  private placeAt(from: number, own: string | undefined): Place {
    let place = this.places.get(from)
    if (place === undefined) {
      place = { index: this.items.takeIndex(), id: this.items.takeId(own ?? `item_${from}`) }
      this.places.set(from, place)
    }
    return place
  }
}
