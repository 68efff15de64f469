/**
 * Writing to a terminal or a pipe: waits when the reader is slow, ends quietly when it has left, and
 * uses colour only where somebody sees it. Neighbours: every command.
 */
import { once } from 'node:events'
import { styleText } from 'node:util'

export interface Output {
  /** Writes, and waits while the reader is behind. */
  write(chunk: string | Uint8Array): Promise<void>
  line(text?: string): Promise<void>
  /** The text in a style, if the reader is a terminal. */
  style(style: Parameters<typeof styleText>[0], text: string): string
  /** The reader has left: nobody needs the rest. */
  readonly isGone: boolean
}

/** Text that others wrote, for a terminal: it must not move the cursor, colour anything or begin a line. */
export const visible = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·')

export function createOutput(stream: NodeJS.WriteStream): Output {
  let isGone = false
  stream.on('error', () => {
    isGone = true
  })
  const hasColour = stream.isTTY && process.env['NO_COLOR'] === undefined
  const output: Output = {
    async write(chunk) {
      if (isGone || stream.write(chunk)) return
      // A reader that leaves never drains: the error or the close tells.
      await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => {
        isGone = true
      })
    },
    line: (text = '') => output.write(`${text}\n`),
    style: (style, text) => (hasColour ? styleText(style, text) : text),
    get isGone() {
      return isGone
    },
  }
  return output
}
