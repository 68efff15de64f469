/**
 * JSON that is nested too deep can be read but not written: the engine runs out of stack. That is an
 * error of ours with a name, not a crash. Neighbours: each wire is guarded as a whole.
 */
import { SluiceError } from '../base/sluice-error.ts'
import type { Stage } from '../base/stage.ts'
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

export function guardDecoder(decoder: Decoder): Decoder {
  const { push, end } = guardStage(decoder)
  if (decoder.again === undefined) return { push, end }
  return { push, end, again: (text, frame) => decoder.again?.(text, frame) ?? [] }
}
