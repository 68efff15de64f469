/**
 * Text for the tables ↔ text of ours: as it is, or encrypted where the records are. Neighbours: everything here that has
 * content in it; `records/codec.ts` is the codec. JSON begins with a bracket, so that the two can be told apart.
 */
import type { PieceCodec } from '../store/store.ts'

export interface Seal {
  close(text: string): string
  open(sealed: string): string
}

export function createSeal(codec: PieceCodec | undefined): Seal {
  return {
    close(text) {
      if (codec === undefined) return text
      const packed = codec.pack(Buffer.from(text))
      return `!${packed.codec} ${Buffer.from(packed.bytes).toString('base64')}`
    },
    open(sealed) {
      const found = /^!(\d+) /.exec(sealed)
      if (found === null) return sealed
      if (codec === undefined) throw new Error('This is encrypted: set "store.key"')
      const bytes = Buffer.from(sealed.slice(found[0].length), 'base64')
      return Buffer.from(codec.unpack(Number(found[1]), bytes)).toString()
    },
  }
}
