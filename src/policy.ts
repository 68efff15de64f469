/**
 * The face for authors of policies, `sluice/policy`: the contract, the verdicts, the policies that come along, and the
 * test kit. Every name here is a promise. Neighbours: `index.ts` is the face of the stream core, `server.ts` of the
 * gateway; `config/policy-author.ts` hands the same names to policy files that the gateway runs.
 */
export { SluiceError, type SluiceErrorCode } from './base/sluice-error.ts'
export type { JsonObject } from './base/json.ts'

// The contract
export {
  definePolicy,
  type Decision,
  type FilterContext,
  type HeldType,
  type Installed,
  type ModelCall,
  type ModelReply,
  type Policy,
  type PolicyContext,
  type PolicyLog,
  type PolicyRequest,
  type PolicyRequestVerdict,
  type Question,
  type VerdictRecord,
} from './policy/policy.ts'
export {
  ask,
  change,
  deny,
  halt,
  pass,
  replace,
  rewrite,
  strictest,
  type NewBlock,
  type RequestVerdict,
  type Verdict,
} from './policy/verdict.ts'
export { all } from './policy/combine.ts'
export { install } from './policy/installed.ts'

// What policies see
export type { ChunkAnswer } from './block/processor.ts'
export type { StreamState } from './block/state.ts'
export type {
  BlockInfo,
  BlockOf,
  BlockType,
  ParsedArguments,
  StreamBlock,
  ToolDialect,
} from './event/block.ts'
export type { Delta, EventOf, StreamEvent, WireName } from './event/event.ts'
export type { StreamFault } from './event/fault.ts'
export type { FinishReason } from './event/finish.ts'
export { textBlock, toolCallBlock } from './event/make.ts'
export type { Usage } from './event/usage.ts'
export type { Part, TextPart, ToolCallPart, ToolResultPart } from './request/part.ts'
export type { ModelRequest, Turn } from './request/request.ts'
export type { Tool, ToolChoice } from './request/tool.ts'

// What a call would do
export type { CallFacts, FileFacts, ShellCommand, ShellFacts } from './facts/facts.ts'
export { findWorkspace, readFacts, type FactCall, type FactOptions } from './facts/read-facts.ts'
export { factsOf } from './stock/facts-of.ts'

// The policies that come along
export { approve, type ApproveOptions } from './stock/approve.ts'
export {
  checkArgumentsPolicy,
  type CheckArgumentsOptions,
} from './stock/check-arguments/check-arguments.ts'
export { codingAgent, type CodingAgentOptions } from './stock/coding-agent.ts'
export { judge } from './stock/judge/judge.ts'
export type { JudgeOptions } from './stock/judge/options.ts'
export { limit, type CallLimit, type LimitOptions } from './stock/limit.ts'
export { loopBreaker, type LoopBreakerOptions } from './stock/loop-breaker.ts'
export { observe, type ObserveOptions } from './stock/observe.ts'
export { redact, type RedactOptions } from './stock/redact/redact.ts'
export { replaceText, type Replacement, type ReplaceTextOptions } from './stock/replace-text.ts'
export type {
  AllowRule,
  AskRule,
  DenyRule,
  RedactRule,
  RewriteRule,
  Rule,
  RuleAction,
  RuleLists,
  TagRule,
} from './stock/rules/rule.ts'
export { rules, type RulesOptions } from './stock/rules/rules.ts'
export {
  scanResults,
  type ScanForTools,
  type ScanPattern,
  type ScanResultsOptions,
} from './stock/scan-results/scan-results.ts'

// The test kit
export type { TestConversation } from './testkit/conversation.ts'
export type { AnswerSetting, CallSetting, Exchanges } from './testkit/exchanges.ts'
export {
  faultyContent,
  toFaultyModel,
  type FaultyAnswer,
  type FaultyContent,
} from './testkit/faulty-upstream-answer.ts'
export { FAULT_NAMES, type FaultName } from './testkit/faulty-upstream-names.ts'
export {
  startFaultyUpstream,
  type FaultyCounts,
  type FaultyRequest,
  type FaultyUpstream,
  type FaultyUpstreamOptions,
} from './testkit/faulty-upstream.ts'
export type { WireFinding } from './testkit/frames.ts'
export type { TestBlock, TestCall } from './testkit/made-answer.ts'
export type { TestStream } from './testkit/read-stream.ts'
export type {
  RequestResult,
  SentBlock,
  SentCall,
  TestResult,
  TestVerdict,
} from './testkit/result.ts'
export type { RequestBody, TestSetting, TestTool } from './testkit/setting.ts'
export {
  testPolicy,
  type PolicyTest,
  type Tested,
  type TestOptions,
} from './testkit/test-policy.ts'
export type { LogLine, ModelAnswer, PersonAnswer, TestClock } from './testkit/world.ts'
