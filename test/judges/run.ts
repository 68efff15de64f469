/**
 * A judge on another Node: reads jobs as JSON lines on standard input, writes one judgement a line.
 * A job is `{ key, wire, url }`; the server that it names runs in the parent.
 */
import { createInterface } from 'node:readline'
import Anthropic from 'anthropic-0.130'
import OpenAI from 'openai'
import { judge } from '../support/judge.ts'

for await (const line of createInterface({ input: process.stdin })) {
  const { key, wire, url } = JSON.parse(line)
  const judgement = await judge(wire, url, { Anthropic, OpenAI })
  process.stdout.write(`${JSON.stringify({ key, judgement })}\n`)
}
