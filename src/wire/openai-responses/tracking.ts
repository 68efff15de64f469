/**
 * What left as it came, as far as it is needed to go on from there: which items the client knows, and
 * which one is open. Neighbours: `encode.ts` keeps it while frames pass, and asks once, when it has to
 * write by itself. Frames are kept and read only then, so passing costs next to nothing.
 */
import { append, NOTHING } from '../../base/few.ts'
import { createFragments, type Fragments } from '../../base/fragments.ts'
import { parseObject, toObject, toText, type JsonObject } from '../../base/json.ts'
import type { BlockInfo } from '../../event/block.ts'
import type { Step, StreamEvent } from '../../event/event.ts'

export interface Tracking {
  track(event: StreamEvent): void
  read(): Passed
}

/** An item that the client has been told of. */
interface PassedItem {
  readonly info: BlockInfo
  readonly index: number
  readonly id: string
}

export interface Passed {
  readonly items: readonly PassedItem[]
  /** Whole items, by place. */
  readonly output: ReadonlyMap<number, JsonObject>
  /** The item that is open: its finished parts, and what has come of the open part or call. */
  readonly open:
    | (PassedItem & { readonly parts: readonly JsonObject[]; readonly text: string | undefined })
    | undefined
}

interface Part {
  readonly info: BlockInfo
  readonly part: JsonObject
  readonly step: Step
}

export const createTracking = (): Tracking => new Books()

/** A class, and not functions around what they share: every answer that is written has one, for as long as it takes. */
class Books implements Tracking {
  private starts: { info: BlockInfo; step: Step }[] = NOTHING
  private dones: Step[] = NOTHING
  /** Parts of the message whose item is not done yet. */
  private parts: Part[] = NOTHING
  private open: { info: BlockInfo; step: Step; text: Fragments } | undefined

  track(event: StreamEvent): void {
    const { step } = event
    if (step === undefined) return
    switch (event.type) {
      case 'block-start':
        this.open = { info: event.block, step, text: createFragments() }
        this.starts = append(this.starts, { info: event.block, step })
        return
      case 'block-delta':
        if (this.open?.info === event.block && 'text' in event.delta)
          this.open.text.add(event.delta.text)
        return
      case 'block-stop': {
        this.open = undefined
        const { type } = event.block
        if ((type === 'text' || type === 'refusal') && event.vendor !== undefined)
          this.parts = append(this.parts, { info: event.block, part: event.vendor, step })
        return this.noteDone(step)
      }
      case 'other':
        return this.noteDone(step)
      case 'message-start':
      case 'finish':
      case 'usage':
      case 'message-stop':
      case 'ping':
      case 'error':
    }
  }

  read(): Passed {
    const output = new Map<number, JsonObject>()
    for (const step of this.dones) {
      const json = parseObject(step.frame.data ?? '')
      const item = toObject(json?.['item'])
      if (item !== undefined && typeof json?.['output_index'] === 'number')
        output.set(json['output_index'], item)
    }
    const items = this.starts.flatMap(({ info, step }) => readPlace(info, step) ?? [])
    return { items, output, open: this.readOpen() }
  }

  private noteDone(step: Step): void {
    if (step.frame.data?.includes('"response.output_item.done"') !== true) return
    if (this.dones.at(-1) !== step) this.dones = append(this.dones, step)
    this.parts = NOTHING
  }

  private readOpen(): Passed['open'] {
    const { open, parts } = this
    const last = open ?? parts.at(-1)
    const place = last === undefined ? undefined : readPlace(last.info, last.step)
    if (place === undefined) return undefined
    return { ...place, parts: parts.map(({ part }) => part), text: open?.text.toString() }
  }
}

/** Where the item of that block stands, as the frame says that opened or closed it. */
function readPlace(info: BlockInfo, step: Step): PassedItem | undefined {
  const json = parseObject(step.frame.data ?? '')
  const index = json?.['output_index']
  if (typeof index !== 'number') return undefined
  const id = toText(json?.['item_id']) ?? toText(toObject(json?.['item'])?.['id']) ?? info.id
  return { info, index, id }
}
