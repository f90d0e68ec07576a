"""An agent by the official Python client. It reads requests as lines of JSON, and prints their results."""

import asyncio
import json
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def answer(client, request):
    if request["method"] == "list":
        return [tool.name for tool in (await client.list_tools()).tools]
    result = await client.call_tool(request["name"], request["arguments"])
    texts = [part.text for part in result.content if part.type == "text"]
    return {"isError": result.is_error, "value": result.structured_content, "text": "\n".join(texts)}


async def main(mode, target):
    if "url" in target:
        http_client = httpx2.AsyncClient(headers=target["headers"])
        server = streamable_http_client(target["url"], http_client=http_client)
    else:
        server = StdioServerParameters(**target)
    async with Client(server, mode=mode) as client:
        while line := await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(await answer(client, json.loads(line))), flush=True)


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
