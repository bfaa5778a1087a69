// Reports a bounce as a sender does, reads the state of the address, and shows a refusal, over gRPC.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log"
	"os"
	"time"

	messaging "example.com/heddle-grpc/gen/heddle/messaging_status/v1"
	profile "example.com/heddle-grpc/gen/heddle/profile/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

func main() {
	address, workspace, email := os.Args[1], os.Args[2], os.Args[3]
	connection := must(grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials())))
	client := messaging.NewMessagingStatusServiceClient(connection)
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "heddle-caller", "client")

	must(client.ReportBounce(ctx, &messaging.ReportBounceRequest{Scope: scope(workspace), Emails: []string{email}}))
	states := must(client.GetEmailStates(ctx, &messaging.GetEmailStatesRequest{Scope: scope(workspace), Emails: []string{email}}))
	var trailer metadata.MD
	_, err := client.ReportBounce(ctx, &messaging.ReportBounceRequest{Scope: scope("ws_nope"), Emails: []string{email}}, grpc.Trailer(&trailer))
	refused := []string{status.Code(err).String(), trailer.Get("heddle-reason")[0]}
	answer := map[string]any{"rejected": states.States[0].Rejected, "refused": refused}
	must(0, json.NewEncoder(os.Stdout).Encode(answer))
}

func scope(workspace string) *profile.Scope {
	return &profile.Scope{WorkspaceId: workspace, RequestId: rand.Text(), Actor: "mailer"}
}

func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
