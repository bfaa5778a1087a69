"""Reports a bounce as a sender does, reads the state of the address, and shows a refusal, over gRPC."""

import json
import sys
import uuid

import grpc
from heddle.messaging_status.v1 import messaging_status_service_pb2 as messages
from heddle.profile.v1 import profile_service_pb2 as profile

address, workspace, email = sys.argv[1:]
channel = grpc.insecure_channel(address)
caller = [("heddle-caller", "client")]


def call(method, request, answer):
    path = f"/heddle.messaging_status.v1.MessagingStatusService/{method}"
    stub = channel.unary_unary(path, type(request).SerializeToString, answer.FromString)
    return stub(request, metadata=caller, timeout=15)


def scope(workspace_id):
    return profile.Scope(workspace_id=workspace_id, request_id=str(uuid.uuid4()), actor="mailer")


call("ReportBounce", messages.ReportBounceRequest(scope=scope(workspace), emails=[email]), messages.ReportBounceResponse)
states = call("GetEmailStates", messages.GetEmailStatesRequest(scope=scope(workspace), emails=[email]), messages.GetEmailStatesResponse)
try:
    call("ReportBounce", messages.ReportBounceRequest(scope=scope("ws_nope"), emails=[email]), messages.ReportBounceResponse)
    refused = None
except grpc.RpcError as error:
    refused = [error.code().name, dict(error.trailing_metadata())["heddle-reason"]]
print(json.dumps({"rejected": states.states[0].rejected, "refused": refused}))
