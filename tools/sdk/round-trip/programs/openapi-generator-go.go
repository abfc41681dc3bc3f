package main

import (
	"context"
	"fmt"
	"os"

	openapi "example.in/client"
)

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Getenv("BURSAR_API_URL")}}
	client := openapi.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), openapi.ContextBasicAuth,
		openapi.BasicAuth{UserName: "key_test_demo", Password: "secret_test_demo"})
	line := openapi.NewOrderLineInput("TUITION_FEE", 1234567.89)
	wanted := openapi.NewCreateOrderRequest("Asha Rao", "+91 98765 43210", "asha@example.in", []openapi.OrderLineInput{*line})
	created, _, err := client.PayOrdersAPI.CreatePayOrder(ctx).CreateOrderRequest(*wanted).Execute()
	must(err)
	id := created.Data.OrderId
	_, _, err = client.SandboxAPI.SandboxPay(ctx, id).SandboxPayRequest(*openapi.NewSandboxPayRequest("success")).Execute()
	must(err)
	order, _, err := client.PayOrdersAPI.GetPayOrder(ctx, id).Execute()
	must(err)
	fmt.Printf("%v %.2f\n", order.Data.Status, order.Data.Details[0].Amount)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
