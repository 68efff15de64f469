/** The lines by which agents find this gateway. Neighbours: `connect-clients.ts` has them all. */
import { beside, json, KEY, sh, type ClientGuide } from './connect-words.ts'

const SHELL = 'In a shell'

export const AGENTS: readonly ClientGuide[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    wire: 'anthropic-messages',
    agent: /^claude/i,
    command: 'claude',
    write: ({ url, shown, isOwn, isBeside }) => [
      {
        title: SHELL,
        text: sh([
          `export ANTHROPIC_BASE_URL=${url}`,
          !isOwn && `export ANTHROPIC_AUTH_TOKEN=${shown}`,
          isBeside && `export ANTHROPIC_CUSTOM_HEADERS='x-sluice-key: ${KEY}'`,
          'claude',
        ]),
      },
    ],
  },
  {
    id: 'codex',
    name: 'Codex',
    wire: 'openai-responses',
    agent: /^codex/i,
    command: 'codex',
    write: ({ url, shown, isOwn, isBeside }) => [
      {
        title: 'In ~/.codex/config.toml',
        text: sh([
          'model_provider = "sluice"',
          '',
          '[model_providers.sluice]',
          'name = "Sluice"',
          `base_url = "${url}/v1"`,
          'wire_api = "responses"',
          isOwn ? 'requires_openai_auth = true' : 'env_key = "SLUICE_KEY"',
          isBeside && 'env_http_headers = { "x-sluice-key" = "SLUICE_KEY" }',
        ]),
      },
      {
        title: SHELL,
        text: isOwn && !isBeside ? 'codex' : `SLUICE_KEY=${isBeside ? KEY : shown} codex`,
      },
    ],
  },
  {
    id: 'opencode',
    name: 'opencode',
    wire: 'openai-chat',
    agent: /opencode|^ai/i,
    command: 'opencode',
    write: ({ url, model, shown, isBeside }) => [
      {
        title: 'In opencode.json',
        text: json({
          provider: {
            sluice: {
              npm: '@ai-sdk/openai-compatible',
              name: 'Sluice',
              options: { baseURL: `${url}/v1`, apiKey: shown, ...beside(isBeside) },
              models: { [model]: {} },
            },
          },
        }),
      },
      { title: SHELL, text: `opencode run -m sluice/${model} "Hello"` },
    ],
  },
  {
    id: 'qwen-code',
    name: 'qwen-code',
    wire: 'openai-chat',
    agent: /qwen|^openai/i,
    command: 'qwen',
    write: ({ url, model, shown }) => [
      {
        title: SHELL,
        text: sh([
          `export OPENAI_BASE_URL=${url}/v1`,
          `export OPENAI_API_KEY=${shown}`,
          `export OPENAI_MODEL=${model}`,
          'qwen',
        ]),
      },
    ],
  },
  {
    id: 'pi',
    name: 'pi',
    wire: 'openai-chat',
    agent: /^pi\b|^openai/i,
    write: ({ url, model, shown, isBeside }) => [
      {
        title: 'In ~/.pi/agent/models.json',
        text: json({
          providers: {
            sluice: {
              baseUrl: `${url}/v1`,
              api: 'openai-completions',
              apiKey: shown,
              ...beside(isBeside),
              models: [{ id: model }],
            },
          },
        }),
      },
      { title: SHELL, text: `pi --provider sluice --model ${model}` },
    ],
  },
]
