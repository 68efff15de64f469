/**
 * The wire of OpenAI Responses. Neighbours: `../wire.ts` is the contract, `../wires.ts` the list.
 */
import { guard, guardDecoder, guardStage } from '../guard.ts'
import type { Wire } from '../wire.ts'
import { readAnswer, writeAnswer } from './answer.ts'
import { createDecoder } from './decode.ts'
import { createEncoder } from './encode.ts'
import { createGrammar } from './grammar.ts'
import { NAME } from './json.ts'
import { recognise } from './recognise.ts'
import { toEncoderOptions } from './request-echo.ts'
import { readRequest } from './request-read.ts'
import { writeRequest } from './request-write.ts'
import { readPiece } from './piece.ts'
import { readError, writeError } from './terms.ts'

export const openaiResponses: Wire = {
  name: NAME,
  runKeys: {
    piece: ['delta'],
    texts: ['obfuscation'],
    numbers: ['sequence_number'],
    // An item is known by its place: see `readPiece`.
    topTexts: ['item_id'],
  },
  readPiece,
  createDecoder: (options) => guardDecoder(createDecoder(options)),
  createEncoder,
  readAnswer: guard(readAnswer),
  writeAnswer: guard(writeAnswer),
  readError,
  writeError,
  readRequest: guard(readRequest),
  writeRequest: guard(writeRequest),
  toEncoderOptions,
  createGrammar: () => guardStage(createGrammar()),
  recognise,
}
