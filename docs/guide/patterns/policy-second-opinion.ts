/**
 * Ask a model, and a person if it is unsure. The question goes to a configured upstream, outside of the conversation and
 * of all policies. Whatever the model says that is not a plain yes does not pass. The stock policy `judge` does this with
 * marks against injection, votes, a cache and a bill; this is the idea of it.
 */
import { ask, definePolicy, deny, pass, type Policy } from '../../../src/policy.ts'

export const secondOpinion = (model: string): Policy =>
  definePolicy({
    name: 'second-opinion',
    // It takes its time, so it begins as soon as the arguments are whole.
    isEager: true,
    async judge(block, ctx) {
      const { text } = await ctx.callModel({
        model,
        system: 'Is this tool call harmless? Answer with one word: yes, no or unsure.',
        messages: [{ role: 'user', text: JSON.stringify([block.name, block.arguments]) }],
        maxTokens: 5,
      })
      const word = text.trim().toLowerCase()
      if (word === 'yes') return pass()
      return word === 'unsure' ? ask(`May ${block.name} be called?`) : deny('It may do harm.')
    },
  })
