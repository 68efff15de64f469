/**
 * What left as it came, as far as it is needed to go on from there: which items the client knows, and
 * which one is open. Neighbours: `encode.ts` keeps it while frames pass, and asks once, when it has to
 * write by itself. Frames are kept and read only then, so passing costs next to nothing.
 */
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

export function createTracking(): Tracking {
  const starts: { info: BlockInfo; step: Step }[] = []
  const dones: Step[] = []
  /** Parts of the message whose item is not done yet. */
  let parts: Part[] = []
  let open: { info: BlockInfo; step: Step; text: Fragments } | undefined

  function noteDone(step: Step): void {
    if (step.frame.data?.includes('"response.output_item.done"') !== true) return
    if (dones.at(-1) !== step) dones.push(step)
    parts = []
  }

  function readOpen(): Passed['open'] {
    const last = open ?? parts.at(-1)
    const place = last === undefined ? undefined : readPlace(last.info, last.step)
    if (place === undefined) return undefined
    return { ...place, parts: parts.map(({ part }) => part), text: open?.text.toString() }
  }

  return {
    track(event) {
      const { step } = event
      if (step === undefined) return
      switch (event.type) {
        case 'block-start':
          open = { info: event.block, step, text: createFragments() }
          starts.push({ info: event.block, step })
          return
        case 'block-delta':
          if (open?.info === event.block && 'text' in event.delta) open.text.add(event.delta.text)
          return
        case 'block-stop': {
          open = undefined
          const { type } = event.block
          if ((type === 'text' || type === 'refusal') && event.vendor !== undefined)
            parts.push({ info: event.block, part: event.vendor, step })
          return noteDone(step)
        }
        case 'other':
          return noteDone(step)
        case 'message-start':
        case 'finish':
        case 'usage':
        case 'message-stop':
        case 'ping':
        case 'error':
      }
    },
    read() {
      const output = new Map<number, JsonObject>()
      for (const step of dones) {
        const json = parseObject(step.frame.data ?? '')
        const item = toObject(json?.['item'])
        if (item !== undefined && typeof json?.['output_index'] === 'number')
          output.set(json['output_index'], item)
      }
      const items = starts.flatMap(({ info, step }) => readPlace(info, step) ?? [])
      return { items, output, open: readOpen() }
    },
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
