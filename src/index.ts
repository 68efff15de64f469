/**
 * The library's face: the stream core, without Node imports, for any JavaScript runtime. Every name
 * here is a promise.
 */
export { SluiceError, type SluiceErrorCode } from './base/sluice-error.ts'
export { chain, type Stage } from './base/stage.ts'
export type { JsonObject } from './base/json.ts'
export { createFrameDecoder, MAX_FRAME_BYTES, type FrameLimits } from './sse/decode.ts'
export { toBytes, type Written } from './sse/encode.ts'
export type { Frame } from './sse/frame.ts'
export { createJsonLinesDecoder } from './sse/json-lines.ts'
export type { Answer } from './event/answer.ts'
export type {
  BlockInfo,
  BlockOf,
  BlockType,
  ParsedArguments,
  StreamBlock,
  ToolDialect,
} from './event/block.ts'
export type { Delta, EventOf, Step, StreamEvent, WireName } from './event/event.ts'
export type { FaultKind, StreamFault } from './event/fault.ts'
export type { FinishReason } from './event/finish.ts'
export type { Loss } from './event/loss.ts'
export { textBlock, toolCallBlock } from './event/make.ts'
export { mergeUsage, totalInput, type Usage } from './event/usage.ts'
export { createAssembler, type Assembler, type AssemblerLimits } from './block/assemble.ts'
export {
  createStreamContext,
  type StreamContext,
  type StreamContextOptions,
} from './block/context.ts'
export {
  belongsToBlock,
  createStreamProcessor,
  type ChunkAnswer,
  type StreamProcessor,
  type StreamProcessorOptions,
} from './block/processor.ts'
export type { StreamState } from './block/state.ts'
export type { Finding, Grammar, Rule, Severity } from './wire/grammar.ts'
export { readEvents } from './wire/read-events.ts'
export type {
  Decoder,
  DecoderOptions,
  Encoder,
  EncoderOptions,
  Recognised,
  Wire,
} from './wire/wire.ts'
export { isWireName, recogniseWires, WIRE_NAMES, WIRES } from './wire/wires.ts'
