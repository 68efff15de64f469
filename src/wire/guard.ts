/**
 * JSON that is nested too deep can be read but not written: the engine runs out of stack. That is an
 * error of ours with a name, not a crash. Neighbours: each wire is guarded as a whole.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { Stage } from '../base/stage.ts'
import type { StreamEvent } from '../event/event.ts'
import type { Frame } from '../sse/frame.ts'
import type { Decoder } from './wire.ts'

/** The same error, with a name if it is that one. */
export const named = (error: unknown): unknown =>
  error instanceof RangeError
    ? new SluiceError('too-deep', 'Cannot write JSON that is nested this deep', { cause: error })
    : error

export function guard<Args extends readonly unknown[], Result>(
  run: (...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => {
    try {
      return run(...args)
    } catch (error) {
      throw named(error)
    }
  }
}

export function guardStage<In, Out>(stage: Stage<In, Out>): Stage<In, Out> {
  return {
    push(item) {
      try {
        return stage.push(item)
      } catch (error) {
        throw named(error)
      }
    },
    end: guard(() => stage.end()),
  }
}

export const guardDecoder = (decoder: Decoder): Decoder => new Guarded(decoder)

/** A class, and not functions around what they share: every answer that is read has one, for as long as it takes. */
class Guarded implements Decoder {
  readonly again?: NonNullable<Decoder['again']>
  private readonly decoder: Decoder

  constructor(decoder: Decoder) {
    this.decoder = decoder
    if (decoder.again !== undefined)
      this.again = (text, frame) => decoder.again?.(text, frame) ?? []
  }

  // All of them work without their object, as those of all stages do.
  readonly push = (frame: Frame): readonly StreamEvent[] => {
    try {
      return this.decoder.push(frame)
    } catch (error) {
      throw named(error)
    }
  }

  readonly end = (): readonly StreamEvent[] => {
    try {
      return this.decoder.end()
    } catch (error) {
      throw named(error)
    }
  }
}
